"use strict";
// Fields that show only the rows with some text. Without a script the page has all rows and no fields.
for (const field of document.querySelectorAll("input[data-filter]")) {
  const name = field.dataset.filter;
  const tables = [...document.querySelectorAll('table[data-rows="' + name + '"]')];
  const rows = tables.flatMap((table) => [...table.tBodies[0].rows]);
  const count = document.querySelector('output[data-count="' + name + '"]');
  let texts = null; // read when they are first needed
  field.closest(".filter").hidden = false;
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    texts ??= rows.map((row) => row.textContent.toLowerCase());
    let shown = 0;
    rows.forEach((row, i) => {
      row.hidden = !texts[i].includes(wanted);
      shown += row.hidden ? 0 : 1;
    });
    for (const table of tables) {
      const folded = table.closest("details");
      if (folded && wanted) folded.open = true;
    }
    count.textContent = wanted ? shown + " of " + rows.length : "";
  });
}
