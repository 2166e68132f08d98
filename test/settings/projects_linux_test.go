package settings

import (
	"os"
	"path/filepath"
)

// projects are the limits of execution roots.
var projects = map[string]check{
	"workspace.open_transitions": {
		set: "true", shows: `"from":"OPEN"`, without: `"reason":"operator"`,
		see: func(b *bench) string {
			dir := b.root()
			return b.serve().ask("POST", "/api/working-root/deliverable/status/transition", map[string]any{
				"projectRoot": b.project, "deliverablePath": dir, "targetState": "CHECKING", "actor": "HUMAN", "approvalSha": "0123456789",
			})
		},
	},
	"workspace.require_if_match": {
		set: "true", shows: `"type":"PRECONDITION_REQUIRED"`, without: `"warning":"without If-Match`,
		see: func(b *bench) string {
			dir := b.root()
			return b.serve().ask("PUT", "/api/working-root/deliverable/dependencies", map[string]any{"projectRoot": b.project, "deliverablePath": dir, "rows": []any{}})
		},
	},
}

// root makes the project an execution root and returns the folder of a deliverable
// that is open.
func (b *bench) root() string {
	b.t.Helper()
	must(b.t, os.CopyFS(b.project, os.DirFS("../../examples/project")))
	return filepath.Join(b.project, "PKG-01_Bridge/1_Working/DEL-01-02_Handrails")
}
