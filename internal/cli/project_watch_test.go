package cli

import (
	"bytes"
	"strings"
	"testing"
)

// What a narrow terminal gets of a finding is wrapped below it.
func TestWatchWraps(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := &projectWatch{c: newConsole(strings.NewReader(""), &out, &bytes.Buffer{}, []string{"COLUMNS=40", "NO_COLOR=1"})}
	w.write("error", "DOCUMENT_KIT_MISSING the documents are not there on which the state rests")
	want := "error    DOCUMENT_KIT_MISSING the\n         documents are not there on\n         which the state rests\n"
	if out.String() != want {
		t.Errorf("it shows\n%swant\n%s", out.String(), want)
	}
}
