package chat

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// signs are what stands for the chat's own signs on a terminal without UTF-8, each as wide
// as the sign.
var signs = map[rune]string{
	'─': "-", '│': "|", '└': "`", '▌': "|", '›': ">", '●': "*", '○': "o", '✗': "x", '·': "-", '…': "~", '∴': ":", '→': ">", '↳': ">",
	'↑': "^", '↓': "v", '␉': " ", '•': "*", '×': "x", '┼': "+", '├': "+", '┤': "+", '“': `"`, '”': `"`, '‘': "'", '’': "'", '–': "-", '—': "-",
}

// withoutUTF8 reports whether the environment names a locale whose characters are not those
// of UTF-8. Without any locale the terminal is taken for a modern one.
func withoutUTF8(env []string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		for _, one := range env {
			value, ok := strings.CutPrefix(one, name+"=")
			if !ok || value == "" {
				continue
			}
			value = strings.ToLower(value)
			return !strings.Contains(value, "utf-8") && !strings.Contains(value, "utf8")
		}
	}
	return false
}

// inASCII is a screen for a terminal without UTF-8. A character that has no sign becomes as
// many question marks as it is wide.
func inASCII(s string, wide ansi.Method) string {
	var b strings.Builder
	for _, r := range s {
		switch sign, ok := signs[r]; {
		case r < 0x80:
			b.WriteRune(r)
		case ok:
			b.WriteString(sign)
		default:
			b.WriteString(strings.Repeat("?", wide.StringWidth(string(r))))
		}
	}
	return b.String()
}
