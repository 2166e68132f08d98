package split

import "strings"

// fence is the code block that a place in a text is in; the zero value is none.
type fence struct {
	marks string // the backticks that opened it
	lang  string
}

// Longer marks and languages are not repeated: they would fill the parts.
const (
	maxMarks = 8
	maxLang  = 16
)

func (f fence) is() bool { return f.marks != "" }

// reopen is the line that opens the block again in the next part.
func (f fence) reopen() string {
	if !f.is() {
		return ""
	}
	return f.marks + f.lang + "\n"
}

// after is the state behind a line that begins inside f.
func (f fence) after(line string) fence {
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) > 3 {
		return f
	}
	text = strings.TrimRight(text, " \t\r\n")
	info := strings.TrimLeft(text, "`")
	marks := text[:len(text)-len(info)]
	switch {
	case len(marks) < 3:
		return f
	case f.is():
		if info == "" && len(marks) >= len(f.marks) {
			return fence{}
		}
		return f
	case len(marks) > maxMarks || strings.Contains(info, "`"):
		return f
	}
	lang, _, _ := strings.Cut(strings.TrimSpace(info), " ")
	if len(lang) > maxLang {
		lang = ""
	}
	return fence{marks: marks, lang: lang}
}
