package authored

import (
	"slices"
	"strings"
	"time"

	"belay/internal/blank"
	"belay/internal/nearest"
)

// Words is text. Numbers and truth values are taken as they are written.
type Words struct {
	// Blank allows text that is empty or nothing but space.
	Blank bool
}

// Check implements [Value].
func (v Words) Check(r *Report, n *Node, path string) bool {
	switch {
	case !n.isScalar():
		r.Add(n, path, "", "it must be text, and this is %s", n.Kind)
		return false
	case !v.Blank && blank.Is(n.Text):
		r.Add(n, path, "", "it is empty")
		return false
	}
	return true
}

// ID is a name that other places refer to.
type ID struct{}

const maxID = 64

// Check implements [Value].
func (ID) Check(r *Report, n *Node, path string) bool {
	if !n.isScalar() {
		r.Add(n, path, "", "it must be text, and this is %s", n.Kind)
		return false
	}
	isWhole := n.isWhole()
	if n.Text != "" && len(n.Text) <= maxID && !strings.ContainsFunc(n.Text, notInID) && (n.Kind != Float || isWhole) {
		return true
	}
	rule := RuleShape
	if isWhole {
		rule = RuleWritten
	}
	r.Beyond(rule, n, path, "", "an id has letters, digits, hyphens and underscores, at most %d, and this is %.80q", maxID, n.Text)
	return false
}

func notInID(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
}

// Choice is one of some words; a field of it that is left out is the first.
type Choice struct {
	Words []string
	// Late allows templates, which are evaluated later: then the word is not known
	// yet. Letters then may be capital, and space around a word does not count.
	Late bool
	// Alias is another word for one of them: the word by its alias.
	Alias map[string]string
	// What are the words, for an error: "a type of attachments".
	What string
}

// Check implements [Value].
func (v Choice) Check(r *Report, n *Node, path string) bool {
	if v.Late && n.Kind == Text && strings.Contains(n.Text, templateMark) {
		return true
	}
	if n.isScalar() {
		if _, ok := v.word(n.Text); ok {
			return true
		}
		hint := ""
		if meant := nearest.Of(strings.TrimSpace(n.Text), v.all()); meant != "" {
			hint = "did you mean " + meant + "?"
		}
		r.Add(n, path, hint, "it must be one of %s, and this is %q", strings.Join(v.all(), ", "), n.Text)
		return false
	}
	r.Add(n, path, "", "it must be one of %s, and this is %s", strings.Join(v.all(), ", "), n.Kind)
	return false
}

// templateMark is what makes a text a template.
const templateMark = "{{"

// all are the words, aliases after them.
func (v Choice) all() []string {
	all := slices.Clone(v.Words)
	for _, w := range v.Words {
		for alias, meant := range v.Alias {
			if meant == w {
				all = append(all, alias)
			}
		}
	}
	return all
}

// word is the word that a text means.
func (v Choice) word(text string) (string, bool) {
	for _, w := range v.all() {
		if text == w || v.Late && strings.EqualFold(strings.TrimSpace(text), w) {
			if meant, ok := v.Alias[w]; ok {
				w = meant
			}
			return w, true
		}
	}
	return "", false
}

// kind is the word that a field has, "" where it is not known.
func (v Choice) kind(n *Node) string {
	if n == nil || n.Kind == Null {
		if v.Late {
			return ""
		}
		return v.Words[0]
	}
	w, _ := v.word(n.Text)
	return w
}

// Truth is true or false.
type Truth struct{}

// Check implements [Value].
func (Truth) Check(r *Report, n *Node, path string) bool {
	if n.Kind != Bool {
		r.Add(n, path, "", "it must be true or false, and this is %s", n.Kind)
	}
	return n.Kind == Bool
}

// Whole is a whole number from Least to Most.
type Whole struct{ Least, Most int64 }

// Check implements [Value].
func (v Whole) Check(r *Report, n *Node, path string) bool {
	if w, ok := n.whole(); ok && w >= v.Least && w <= v.Most {
		return exact(r, n, path)
	}
	r.Add(n, path, "", "it must be a whole number from %d to %d, and this is %s", v.Least, v.Most, n.asWritten())
	return false
}

// Above is a number above Least and up to Most.
type Above struct{ Least, Most float64 }

// Check implements [Value].
func (v Above) Check(r *Report, n *Node, path string) bool {
	if f, ok := n.number(); ok && f > v.Least && f <= v.Most {
		return exact(r, n, path)
	}
	r.Add(n, path, "", "it must be %s, and this is %s", v, n.asWritten())
	return false
}

// asWritten is a number as it is written, or what something else is.
func (n *Node) asWritten() string {
	if n.Kind == Int || n.Kind == Float {
		return n.Text
	}
	return n.Kind.String()
}

// LengthText writes a length of time as people do: 24h, not 24h0m0s.
func LengthText(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Length is a length of time above 0 and up to Most, as 30s or 2m.
type Length struct{ Most time.Duration }

// Check implements [Value].
func (v Length) Check(r *Report, n *Node, path string) bool {
	d, err := time.ParseDuration(n.Text)
	if n.Kind == Text && err == nil && d > 0 && d <= v.Most {
		return true
	}
	rule := RuleShape
	if n.Kind == Text && lengthForm.MatchString(n.Text) {
		rule = RuleRange
	}
	text := n.Text
	if !n.isScalar() {
		text = n.Kind.String()
	}
	r.Beyond(rule, n, path, "write it as 30s, 5m or 1h", "it must be a length of time up to %s, and this is %q", LengthText(v.Most), text)
	return false
}

// Free is a value of one of some kinds with whatever is in it.
type Free struct{ Kinds []Kind }

// Check implements [Value].
func (v Free) Check(r *Report, n *Node, path string) bool {
	if slices.Contains(v.Kinds, n.Kind) {
		return exact(r, n, path)
	}
	names := make([]string, len(v.Kinds))
	for i, k := range v.Kinds {
		names[i] = k.String()
	}
	r.Add(n, path, "", "it must be %s, and this is %s", strings.Join(names, " or "), n.Kind)
	return false
}
