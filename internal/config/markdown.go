package config

import (
	"fmt"
	"strings"
)

// Markdown returns the table of the reference page: one row per setting.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| Setting | Default | Environment | Project file | Meaning |\n|---|---|---|---|---|\n")
	for _, k := range settings(&Config{}) {
		def := "–"
		if k.def != "" {
			def = "`" + k.def + "`"
		}
		env := []string{"`" + k.env() + "`"}
		for _, a := range k.aliases {
			env = append(env, "`"+a.name+"`")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n",
			k.name, def, strings.Join(env, ", "), k.project, strings.ReplaceAll(k.doc, "|", `\|`))
	}
	return b.String()
}

// String says in the reference page what a project may do.
func (m projectMay) String() string {
	switch m {
	case suggestion:
		return "may suggest"
	case tighten:
		return "may tighten"
	}
	return "–"
}
