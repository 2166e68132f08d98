package shell

import (
	"strings"
	"testing"

	"belay/internal/tool"
)

// A command that cannot be confined because its project is where none may reach
// says so, and says where.
func TestProjectInAHiddenFolder(t *testing.T) {
	t.Parallel()
	base := tempDir(t)
	w := newPlace(t, base)
	s := newShell(t, base, Options{Hidden: []string{base}})
	_, err := callShell(t, s, w, input{Command: "true"})
	if r, ok := tool.AsRefusal(err); !ok || !strings.Contains(r.Reason, w.Project+" lies in "+base+", which no command may reach") {
		t.Errorf("%v", err)
	}
}
