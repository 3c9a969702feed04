package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// sarifTags is the most tags that GitHub takes for a rule, sarifText the longest text of one in runes.
const (
	sarifTags = 20
	sarifText = 1024
)

func newSarifRule(f Finding) sarifRule {
	check := f.Check
	if check == nil {
		check = &Check{}
	}
	name := cut(f.Name(), sarifText)
	description := cut(cmp.Or(strings.TrimSpace(check.Description), name), sarifText)
	rule := sarifRule{
		ID:               Sanitize(f.ID()),
		Name:             pascalCase(f.ID()),
		ShortDescription: sarifMessage{Text: sentence(name)},
		FullDescription:  sarifMessage{Text: sentence(description)},
		Help:             ruleHelp(f.ID(), name, description, check),
		Configuration:    sarifConfiguration{Level: sarifLevel(f.Severity())},
		Properties: sarifRuleProperties{
			Tags: []string{"security"}, Precision: "medium", SecuritySeverity: securitySeverity(f, check),
		},
	}
	if len(check.References) > 0 && isWebLink(check.References[0]) {
		rule.HelpURI = check.References[0]
	}
	tags := slices.Clone(f.Tags())
	for _, cwe := range check.CWE { // the form by which GitHub knows a weakness
		tags = append(tags, "external/cwe/"+strings.ToLower(cwe))
	}
	for _, tag := range append(tags, check.CVE...) {
		if len(rule.Properties.Tags) < sarifTags && tag != "security" && tag != "" {
			rule.Properties.Tags = append(rule.Properties.Tags, cut(tag, 100))
		}
	}
	return rule
}

func ruleHelp(id, name, description string, check *Check) sarifHelp {
	var text, mark strings.Builder
	fmt.Fprintf(&text, "%s\n\n%s\n", name, sentence(description))
	fmt.Fprintf(&mark, "**%s** (`%s`)\n\n%s\n", escapeMarkdown(name), codeText(id), escapeMarkdown(sentence(description)))
	if check.Remediation != "" {
		fix := sentence(cut(check.Remediation, sarifText))
		fmt.Fprintf(&text, "\nRemediation: %s\n", fix)
		fmt.Fprintf(&mark, "\n**Remediation:** %s\n", escapeMarkdown(fix))
	}
	for i, reference := range check.References[:min(len(check.References), 10)] {
		if i == 0 {
			text.WriteString("\nReferences:\n")
			mark.WriteString("\nReferences:\n\n")
		}
		fmt.Fprintf(&text, "- %s\n", cut(reference, sarifText))
		if isWebLink(reference) {
			fmt.Fprintf(&mark, "- <%s>\n", reference)
		} else {
			fmt.Fprintf(&mark, "- %s\n", escapeMarkdown(cut(reference, sarifText)))
		}
	}
	return sarifHelp{Text: text.String(), Markdown: mark.String()}
}

// isWebLink says that a text of a check is an address that may be linked to as it stands.
func isWebLink(text string) bool {
	return (strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://")) &&
		!strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > 0x7e || strings.ContainsRune("<>\"`\\{}|^[]", r) })
}

// securitySeverity is what GitHub sorts by: the CVSS score where the check has one, else the middle of the range that
// GitHub names with the same word (above 9.0 critical, 7.0 high, 4.0 medium, 0.1 low).
func securitySeverity(f Finding, check *Check) string {
	if check.CVSSScore > 0 && check.CVSSScore <= 10 {
		return strconv.FormatFloat(check.CVSSScore, 'f', 1, 64)
	}
	return [...]string{"0.0", "0.0", "2.0", "5.5", "8.0", "9.5"}[SeverityRank(f.Severity())]
}

func sarifLevel(severity string) string {
	switch SeverityRank(severity) {
	case 5, 4:
		return "error"
	case 3:
		return "warning"
	}
	return "note"
}

// pascalCase makes the name of a rule of its id, as the format advises: git-config is GitConfig. A name that says no more
// than the id is to be left out.
func pascalCase(id string) string {
	var b strings.Builder
	up := true
	for _, r := range id {
		switch {
		case r >= 'a' && r <= 'z' && up:
			b.WriteRune(r - 'a' + 'A')
			up = false
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9':
			b.WriteRune(r)
			up = false
		default:
			up = true
		}
	}
	if strings.EqualFold(b.String(), id) {
		return ""
	}
	return b.String()
}

// sentence ends a text with a full stop, which the format asks for.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}
