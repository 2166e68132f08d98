package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/quantity"
	"belay/internal/render"
	"belay/internal/session"
)

// lastTurns is how many turns belay session show prints.
const lastTurns = 5

// shown is what belay session show knows of a session.
type shown struct {
	Session session.Record `json:"session"`
	Folder  string         `json:"folder"`
	Bytes   int64          `json:"bytes"`
	Running *runningTurn   `json:"running,omitempty"`
	// AnsweredBy is the model of the last answer where it is not the session's.
	AnsweredBy string `json:"answeredBy,omitempty"`
	// Turns counts all turns, Last are the newest of them.
	Turns int           `json:"turns"`
	Last  []turnSummary `json:"lastTurns"`
	// Changed says what was altered in the record from outside.
	Changed []string `json:"changed"`
}

func newSessionShow(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show SESSION",
		Short: "Show a session's record, its last turns and the running one",
		Long: `Show a session's record, its folder, its last turns, and the running turn with its
process. If another program changed the record, the command says so and the exit code is
1.`,
		Example: "  belay session show sess_2f4c8e0a\n  belay session show sess_2f4c8e0a --json",
		Args:    needsSession,
	}
	jsonFlag(c, cmd)
	cmd.RunE = sessionCommand(c, func(ctx context.Context, a *app.App, id string, _ []string) error {
		s, err := gather(ctx, a, id)
		if err != nil {
			return err
		}
		if c.json {
			if err := c.writeJSON(s); err != nil {
				return err
			}
		} else {
			printSession(c, s)
		}
		for _, sentence := range s.Changed {
			c.warn(sentence)
		}
		if len(s.Changed) > 0 {
			return ended(ExitFailed)
		}
		return nil
	})
	return cmd
}

// gather reads everything about one session.
func gather(ctx context.Context, a *app.App, id string) (*shown, error) {
	before := runningIn(a, id)
	if _, err := a.Engine.Get(ctx, id); err != nil {
		return nil, err
	}
	entries, err := a.Engine.Transcript(ctx, id)
	if err != nil {
		return nil, err
	}
	folder, err := a.Store.Folder(ctx, id)
	if err != nil {
		return nil, err
	}
	changed, err := a.Store.Upkeep.Verify(ctx, id)
	if err != nil && !errors.Is(err, session.ErrBusy) && !fault.Is(err, fault.TurnInProgress) {
		return nil, err // a record that is being written is looked at next time
	}
	rec, err := a.Engine.Get(ctx, id) // by now session.json says what the transcript does
	if err != nil {
		return nil, err
	}
	bytes, err := bytesIn(folder)
	if err != nil {
		return nil, err
	}
	turns, running := summarise(entries), runningIn(a, id)
	if n := len(turns); n > 0 && turns[n-1].ExitCode == nil {
		if err := turns[n-1].stands(ctx, a, id, before != nil || running != nil); err != nil {
			return nil, err
		}
	}
	return &shown{
		Session: rec, Folder: folder, Bytes: bytes, Running: running, AnsweredBy: answeredInPlace(rec, entries),
		Turns: len(turns), Last: turns[max(0, len(turns)-lastTurns):], Changed: orEmpty(changed),
	}, nil
}

// answeredInPlace is the model that gave a session's last answer in place of the session's own.
func answeredInPlace(rec session.Record, entries []session.Entry) string {
	for _, e := range slices.Backward(entries) {
		if e.Kind == session.EntryAssistant && e.Agent == "" && e.Model != "" {
			if e.Model == rec.Model {
				return ""
			}
			return e.Model
		}
	}
	return ""
}

// orEmpty keeps null out of JSON lists.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// bytesIn adds up the files of a session's folder.
func bytesIn(folder string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed meanwhile
		}
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("size of the session: %w", err)
	}
	return sum, nil
}

func printSession(c *console, s *shown) {
	r := s.Session
	var last turnSummary
	if n := len(s.Last); n > 0 {
		last = s.Last[n-1]
	}
	state := "idle"
	switch {
	case s.Running != nil && len(last.Asks) > 0:
		state = fmt.Sprintf("turn %s in process %d waits for an answer to %s", s.Running.TurnID, s.Running.PID, seeQuestions(last.Asks))
	case s.Running != nil:
		state = fmt.Sprintf("turn %s runs in process %d", s.Running.TurnID, s.Running.PID)
	case r.ReadOnly:
		state = "a read-only copy; the original still exists"
	case len(last.Asks) > 0:
		state = "its process died while the turn waited for an answer to " + seeQuestions(last.Asks)
	case last.Answered != "":
		state = "the answer to " + last.Answered + " is not carried out yet, as the process of its turn has died; " + `belay turn --session ` + r.SessionID + ` "go on" carries it out, and so does belay serve`
	case last.StopReason == session.StopProcessEnded:
		state = "idle; the process of the last turn died in the middle of it"
	}
	booted := ""
	if r.BootedAt != nil {
		booted = when(r.BootedAt.Time)
	}
	c.fields(
		"session", r.SessionID, "title", r.Title, "state", state, "project", r.ProjectRoot, "persona", r.Persona, "mode", r.Mode,
		"model", render.Answers(&event.Init{Model: r.Model, AnsweredBy: s.AnsweredBy}), "created", when(r.CreatedAt.Time), "updated", when(r.UpdatedAt.Time), "booted", booted,
		"forked", forkedFrom(r), "folder", s.Folder, "size", quantity.Size(s.Bytes), "turns", strconv.Itoa(s.Turns),
	)
	if len(s.Last) == 0 {
		return
	}
	t := &table{heads: []string{"TURN", "TIME", "EXIT", "FILES", "MESSAGE"}}
	acted := slices.ContainsFunc(s.Last, func(one turnSummary) bool { return one.Changes > 0 })
	if acted {
		t.heads = append(t.heads, "CHANGES")
	}
	for _, one := range s.Last {
		exit := "none"
		switch {
		case len(one.Asks) > 0 || one.Answered != "":
			exit = "waits"
		case one.StopReason == session.StopProcessEnded:
			exit = "died"
		case one.ExitCode != nil:
			exit = strconv.Itoa(*one.ExitCode)
		}
		t.add(one.TurnID, when(one.Time.Time), exit, strconv.Itoa(one.Attachments), excerpt(one.Message), one.changes())
	}
	c.write("\n")
	c.print(t, "")
}

// seeQuestions names open questions, and how to see one.
func seeQuestions(ids []string) string {
	return strings.Join(ids, ", ") + "; belay decision show " + ids[0] + " shows the question"
}

// forkedFrom says where a conversation comes from that did not begin in its
// session.
func forkedFrom(r session.Record) string {
	if r.ForkedFrom == nil {
		return ""
	}
	return "from " + r.ForkedFrom.TurnID + " of " + r.ForkedFrom.SessionID
}

// excerptCells is how much of a message a table shows.
const excerptCells = 48

// excerpt is the beginning of a text, in one line.
func excerpt(s string) string { return clip(line(s), excerptCells) }
