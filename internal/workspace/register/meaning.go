package register

import (
	"strings"
	"unicode"

	"belay/internal/lazyregexp"
	"belay/internal/workspace/layout"
)

// Meanings finds the deliverables that ill-formed ids mean (workspace 6.8). Once all are
// added, any number of goroutines may ask.
type Meanings struct {
	// byNumber are the ids of the project by their numbers without zeros in front,
	// byName by the letters of their names. An id of "" stands for several.
	byNumber, byName map[string]string
}

// NewMeanings knows no deliverable yet.
func NewMeanings() Meanings { return Meanings{map[string]string{}, map[string]string{}} }

// Add adds a deliverable of the project.
func (m Meanings) Add(id, name string) {
	addMeaning(m.byNumber, layout.Number(id), id)
	if name := letters(name); name != "" {
		addMeaning(m.byName, name, id)
	}
}

func addMeaning(all map[string]string, key, id string) {
	if other, twice := all[key]; twice && other != id {
		id = ""
	}
	all[key] = id
}

// The forms in which an id is still recognised: "DEL-01-02_Label", "DEL-0102",
// "del 1.2".
var (
	labelled = lazyregexp.New(`(?i)^DEL-([0-9]{2,3})-([0-9]{2})(?:[^0-9-].*)?$`)
	loose    = lazyregexp.New(`(?i)^DEL[-_ .]?([0-9]{1,3})(?:[-_ .]([0-9]{1,2})|([0-9]{2}))(?:[^0-9].*)?$`)
	another  = lazyregexp.New(`(?i)DEL[-_ .]?[0-9]`)
)

// Of is the id that a text means, or why it means none.
func (m Meanings) Of(text string) (id, why string) {
	if len(another.FindAllStringIndex(text, 2)) > 1 {
		return "", "it names several deliverables"
	}
	if n := labelled.FindStringSubmatch(text); n != nil {
		id := "DEL-" + n[1] + "-" + n[2]
		if known := m.byNumber[layout.Number(id)]; known != "" {
			id = known
		}
		return id, ""
	}
	if n := loose.FindStringSubmatch(text); n != nil {
		if id := m.byNumber["DEL-"+strings.TrimLeft(n[1], "0")+"-"+strings.TrimLeft(n[2]+n[3], "0")]; id != "" {
			return id, ""
		}
	}
	if id := m.byName[letters(text)]; id != "" {
		return id, ""
	}
	return "", "no deliverable of the project is called that"
}

// letters are the letters and digits of a name, which is all in which the writings of
// one agree.
func letters(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}
