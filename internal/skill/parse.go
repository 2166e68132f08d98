package skill

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"belay/internal/badyaml"
	"belay/internal/blank"
)

// The longest values of the fields, in characters.
const (
	maxName          = 64
	maxDescription   = 1024
	maxCompatibility = 500
)

var namePattern = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// parse reads a SKILL.md in a folder of that name. Reasons say all that is wrong with it.
func parse(folder string, data []byte) (s Skill, reasons []string) {
	if !utf8.Valid(data) {
		return s, []string{fileName + " is not UTF-8"}
	}
	head, ok := cutHead(strings.TrimPrefix(string(data), "\ufeff"))
	switch {
	case !ok:
		return s, []string{fileName + " does not begin with a block of YAML between two lines of ---"}
	case len(head) > maxHead:
		return s, []string{fmt.Sprintf("the YAML of %s is larger than %d KiB", fileName, maxHead>>10)}
	}
	h, reason := readHead(head)
	if reason != "" {
		return s, []string{reason}
	}
	s = Skill{
		Name: h.text("name"), Description: h.text("description"),
		License: h.text("license"), Compatibility: h.text("compatibility"),
	}
	h.check("name", maxName)
	h.check("description", maxDescription)
	h.check("compatibility", maxCompatibility)
	switch {
	case s.Name == "":
	case !namePattern.MatchString(s.Name):
		h.wrong("name must have small letters, digits and single hyphens between them")
	case s.Name != folder:
		h.wrong("name is %s, which is not the name of its folder", s.Name)
	}
	for _, field := range []string{"name", "description"} {
		if h.values[field] == nil {
			h.wrong("%s is missing", field)
		}
	}
	return s, h.reasons
}

// cutHead returns the YAML between a first line --- and the next one.
func cutHead(text string) (head string, ok bool) {
	start := 0
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		rule := strings.TrimRight(line, " \t\r") == "---"
		next := min(at+len(line)+1, len(text))
		switch {
		case at == 0 && !rule:
			return "", false
		case at == 0:
			start = next
		case rule:
			return text[start:at], true
		}
		at = next
	}
	return "", false
}

// header is the block of YAML: its values by their keys, and what is wrong with them.
type header struct {
	values  map[string]*yaml.Node
	reasons []string
}

// readHead parses the block. Unknown fields belong to other programs.
func readHead(text string) (h header, reason string) {
	var doc yaml.Node
	loader, err := yaml.NewLoader(strings.NewReader(text))
	if err == nil {
		err = loader.Load(&doc)
	}
	if err != nil {
		at := badyaml.Find(err, []byte(text))
		return h, fmt.Sprintf("the block of YAML cannot be read: line %d: %s", max(at.Line, 1)+1, line(at.Message))
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return h, "the block of YAML has no fields"
	}
	h.values = map[string]*yaml.Node{}
	pairs := doc.Content[0].Content
	for i := 0; i+1 < len(pairs); i += 2 {
		key := pairs[i].Value
		if h.values[key] != nil && known[key] {
			h.wrong("%s is there twice", key)
		}
		h.values[key] = pairs[i+1]
	}
	return h, ""
}

// known are the fields that are read.
var known = map[string]bool{"name": true, "description": true, "license": true, "compatibility": true}

// text is the value of a field in one line, "" where there is none or it is no text.
func (h *header) text(field string) string {
	v := h.values[field]
	if v == nil {
		return ""
	}
	if v.Kind != yaml.ScalarNode || v.Tag != "!!str" {
		h.wrong("%s is not a text", field)
		return ""
	}
	text := line(v.Value)
	if blank.Is(text) {
		h.wrong("%s is empty", field)
		return ""
	}
	return text
}

// check finds a value that is too long.
func (h *header) check(field string, most int) {
	if v := h.values[field]; v != nil && utf8.RuneCountInString(strings.TrimSpace(v.Value)) > most {
		h.wrong("%s has more than %d characters", field, most)
	}
}

func (h *header) wrong(format string, args ...any) {
	h.reasons = append(h.reasons, fmt.Sprintf(format, args...))
}

// line folds white space and takes out what nobody sees, so that a text stays in its line and
// says to a model what it says to a person. The two joiners stay: scripts need them.
func line(s string) string {
	const zeroWidthNonJoiner, zeroWidthJoiner = '\u200c', '\u200d'
	s = strings.Map(func(r rune) rune {
		switch {
		case r == zeroWidthNonJoiner || r == zeroWidthJoiner || unicode.IsSpace(r):
			return r
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs), unicode.Is(unicode.Variation_Selector, r):
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}
