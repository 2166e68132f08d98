package template

import (
	"fmt"
	"strings"
	"text/template"
	"text/template/parse"
)

// stepName is the function that each loop calls.
const stepName = "belay_step"

// stepNode is an action that calls it and writes nothing.
func stepNode() parse.Node {
	t := template.Must(template.New("").Funcs(template.FuncMap{stepName: func() string { return "" }}).Parse("{{" + stepName + "}}"))
	return t.Root.Nodes[0]
}

// cappedWriter keeps what is written, up to a limit.
type cappedWriter struct {
	b    strings.Builder
	left int
}

func (w *cappedWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, &Error{Problem: fmt.Sprintf("it writes more than %d bytes", MaxOutput)}
	}
	return w.b.Write(p)
}
