package shell

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"belay/internal/durable"
	"belay/internal/tool"
)

// watched is what is known of a command that changes the project while it runs: the
// files that it may not change, as they were before it, and when it has ended those
// that have changed. It is in the state folder from before the command until a
// command has ended that changed none of them.
type watched struct {
	Before  table    `json:"before"`
	Changed []string `json:"changed,omitempty"`
	// Failed is why nobody could tell what the command has changed.
	Failed string `json:"failed,omitempty"`
}

// dirWatched is the folder of the state folder with the files of each session.
const dirWatched = "compare"

// maxWatched bounds such a file.
const maxWatched = 64 << 20

func (s *Shell) watchedFile(w *tool.Environment) string {
	sum := sha256.Sum256([]byte(w.Project))
	session := w.Session
	if !filepath.IsLocal(session) || filepath.Base(session) != session {
		session = "none"
	}
	return filepath.Join(s.state, dirWatched, session, hex.EncodeToString(sum[:16])+".json")
}

func (s *Shell) watched(w *tool.Environment) (found watched, err error) {
	data, _, err := durable.ReadFile(nil, s.watchedFile(w), maxWatched)
	if errors.Is(err, fs.ErrNotExist) {
		return found, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &found)
	}
	if err != nil { // what is not known is doubted
		return watched{Failed: "the record of an earlier command cannot be read"}, nil
	}
	return found, nil
}

func (s *Shell) keepWatched(w *tool.Environment, now watched) (err error) {
	name := s.watchedFile(w)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	data, err := json.Marshal(now)
	if err != nil {
		return err
	}
	return durable.WriteFile(root, filepath.Base(name), data, 0o600, durable.CommandState)
}

func (s *Shell) dropWatched(w *tool.Environment) error {
	if err := os.Remove(s.watchedFile(w)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// doubt is why a person is asked about the next command that changes the project, ""
// where a rule may allow it; before is the project's table.
func (s *Shell) doubt(ctx context.Context, w *tool.Environment) (why string, before table, err error) {
	last, err := s.watched(w)
	if err != nil {
		return "", nil, err
	}
	before, lookErr := look(ctx, w)
	switch {
	case ctx.Err() != nil:
		return "", nil, ctx.Err()
	case len(last.Changed) > 0:
		return "an earlier command changed what it may not: " + listed(last.Changed), before, nil
	case last.Failed != "":
		return "nobody can tell whether an earlier command changed what it may not: " + last.Failed, before, nil
	case lookErr != nil:
		return "nobody will be able to tell whether it changes protected files: " + lookErr.Error(), nil, nil
	case last.Before != nil:
		if changed := last.Before.changed(before); len(changed) > 0 {
			return "these changed since a command began whose end is not known: " + listed(changed), before, nil
		}
	}
	return "", before, nil
}

// maxListed is how many files a sentence names.
const maxListed = 10

func listed(names []string) string {
	more := ""
	if n := len(names) - maxListed; n > 0 {
		names, more = names[:maxListed], fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(names, ", ") + more
}

// sweepWatched removes the files of sessions that are not known.
func (s *Shell) sweepWatched(known func(sessionID string) bool) error {
	dir := filepath.Join(s.state, dirWatched)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	errs := []error{err}
	for _, e := range slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return known(e.Name()) }) {
		errs = append(errs, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return errors.Join(errs...)
}
