package cli

import (
	"time"

	"github.com/spf13/cobra"
)

func newSession(c *console) *cobra.Command {
	g := group("session", "Show, copy, steer and stop sessions",
		"  belay session list\n  belay session transcript sess_2f4c8e0a",
		newSessionList(c), newSessionShow(c), newSessionTranscript(c), newSessionManifest(c),
		newSessionChanges(c), newSessionUndo(c), newSessionFork(c), newSessionSteer(c), newSessionSearch(c),
		newSessionInterrupt(c), newSessionImport(c), newSessionExport(c), newSessionRename(c), newSessionDelete(c),
	)
	g.Long = `Show, copy, steer and stop sessions. Name a session by its id, or by any
unique prefix of at least four characters.`
	return g
}

// when is a moment for people, in their own time zone.
func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04:05")
}
