package cmd

import "testing"

func TestLoadFitsTheOpenFiles(t *testing.T) {
	usual := load{concurrency: 150, dials: 1000, idle: 4096}
	for files, want := range map[int]load{
		0:       usual,
		1 << 20: usual,
		1024:    {150, 421, 421},
		256:     {112, 56, 56},
		64:      {24, 12, 12},
		8:       {3, 1, 2},
		1:       {1, 1, 1},
	} {
		if got := fit(files, usual); got != want {
			t.Errorf("%d files: got %+v, want %+v", files, got, want)
		}
	}
	if got := fit(64, load{concurrency: 2, dials: 3, idle: 4}); got != (load{2, 3, 4}) {
		t.Errorf("a small load is changed to %+v", got)
	}
}
