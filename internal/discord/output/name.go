package output

import (
	"path"
	"strings"
	"unicode"
)

// maxFileName is the longest name of a file in Discord that belay sends, in bytes.
const maxFileName = 100

// FileName is a name that Discord shows as it is: without folders, control
// characters, quotes and letters that turn the direction of text.
func FileName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r == '/' || r == '\\' || r == '"' || r == '`':
			return '_'
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	name = strings.TrimLeft(strings.TrimSpace(name), ".")
	if ext := path.Ext(name); len(name) > maxFileName {
		if len(ext) > maxFileName/4 {
			ext = ""
		}
		name = strings.ToValidUTF8(name[:maxFileName-len(ext)], "") + ext
	}
	if name == "" {
		return "file"
	}
	return name
}

// code is a name that [FileName] gave, as Discord shows it without looking for markdown.
func code(name string) string { return "`" + name + "`" }
