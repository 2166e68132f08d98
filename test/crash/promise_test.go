//go:build crashtest

package crash

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"belay/internal/app"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn"
)

// promise is what must hold after something was acknowledged. A child process
// can tell its parent of one.
type promise struct {
	// Kind is the method that checks it.
	Kind    string
	Session string `json:",omitempty"`
	Turn    string `json:",omitempty"`
	Message string `json:",omitempty"`
	Key     string `json:",omitempty"`
	Digest  string `json:",omitempty"`
	Path    string `json:",omitempty"`
	SHA256  string `json:",omitempty"`
	Seq     int64  `json:",omitempty"`
}

// holds checks the promise.
func (p promise) holds(w *world, a *app.App) error {
	switch p.Kind {
	case "session":
		return hasSession(a, p.Session)
	case "turn":
		return p.hasTurn(a)
	case "input":
		return p.hasInput(a)
	case "entries":
		return hasEntries(a, p.Session)
	case "log":
		return hasLog(a, p.Session, p.Seq)
	case "deleted":
		return p.isDeleted(w, a)
	case "content":
		return p.hasContent()
	case "undone":
		return w.isUndone(a, p.Turn)
	case "blob":
		return hasBlob(a, p.Session)
	}
	return fmt.Errorf("nobody checks %q", p.Kind)
}

func hasSession(a *app.App, id string) error {
	_, err := a.Engine.Get(context.Background(), id)
	return err
}

// hasTurn checks that the transcript has all of a turn, and that its key still
// leads to it.
func (p promise) hasTurn(a *app.App) error {
	entries, err := a.Engine.Transcript(context.Background(), p.Session)
	if err != nil {
		return err
	}
	kinds := map[session.EntryKind]bool{}
	for _, e := range entries {
		if e.Turn != p.Turn {
			continue
		}
		if kinds[e.Kind] = true; e.Kind == session.EntryTurn && e.Message != p.Message {
			return fmt.Errorf("the message is %q", e.Message)
		}
	}
	for _, kind := range []session.EntryKind{session.EntryTurn, session.EntryRequest, session.EntryAssistant, session.EntryEnd} {
		if !kinds[kind] {
			return fmt.Errorf("the transcript of turn %s has no %s", p.Turn, kind)
		}
	}
	if p.Key == "" {
		return nil
	}
	return p.replays(a)
}

// replays checks that the request is not done twice.
func (p promise) replays(a *app.App) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := a.Engine.Start(ctx, turn.Request{SessionID: p.Session, Message: p.Message, IdempotencyKey: p.Key, BodyDigest: p.Digest})
	if err != nil {
		return fmt.Errorf("repeat the request: %w", err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if s.Turn() != p.Turn {
		return fmt.Errorf("the same request became another turn")
	}
	ended := false
	if err := drain(ctx, s, func(e event.Event) { ended = e.Ends() }); err != nil || !ended {
		return fmt.Errorf("the turn is not told to its end: %w", err)
	}
	return nil
}

// hasEnded checks that a turn has its end, if the transcript has the turn.
func hasEnded(a *app.App, id, turnID string) error {
	entries, err := a.Engine.Transcript(context.Background(), id)
	if err != nil {
		return err
	}
	begun, ended := false, false
	for _, e := range entries {
		begun = begun || e.Turn == turnID
		ended = ended || e.Turn == turnID && e.Kind == session.EntryEnd
	}
	if begun && !ended {
		return fmt.Errorf("the turn %s has no end", turnID)
	}
	return nil
}

// hasInput checks that something that a person said is in the transcript, once the
// turn that it was said into has its end.
func (p promise) hasInput(a *app.App) error {
	for a.Engine.Counts().Running > 0 { // its last event came a moment ago
		time.Sleep(time.Millisecond)
	}
	if err := a.Engine.Recovery.Resume(context.Background(), p.Session); err != nil {
		return err
	}
	entries, err := a.Engine.Transcript(context.Background(), p.Session)
	if err != nil {
		return err
	}
	n := 0
	for _, e := range entries {
		if e.Kind == session.EntryInput && e.Message == p.Message {
			n++
		}
	}
	if n != 1 {
		return fmt.Errorf("the transcript has the input %d times", n)
	}
	return nil
}

func hasEntries(a *app.App, id string) error {
	entries, err := a.Engine.Transcript(context.Background(), id)
	if err == nil && len(entries) == 0 {
		err = errors.New("the transcript is empty")
	}
	return err
}

func (p promise) isDeleted(w *world, a *app.App) error {
	if err := hasSession(a, p.Session); !isGone(err) {
		return fmt.Errorf("the session is back: %w", err)
	}
	recs, err := a.Engine.List(context.Background(), w.project)
	for _, r := range recs {
		if r.SessionID == p.Session {
			return errors.New("the session is back in the list")
		}
	}
	return err
}

func (p promise) hasContent() error {
	data, err := os.ReadFile(p.Path)
	if err == nil && digest(data) != p.SHA256 {
		err = fmt.Errorf("%s has %d other bytes", p.Path, len(data))
	}
	return err
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// hasBlob checks that the files of a session's turns can be sent again.
func hasBlob(a *app.App, id string) error {
	entries, err := a.Engine.Transcript(context.Background(), id)
	if err != nil {
		return err
	}
	found := false
	for _, e := range entries {
		for _, it := range e.Attachments {
			r, _, err := a.Engine.Blob(context.Background(), id, it.SHA256)
			if err != nil {
				return err
			}
			data, err := io.ReadAll(r)
			if err = errors.Join(err, r.Close()); err == nil && digest(data) != it.SHA256 {
				err = fmt.Errorf("the attachment %s has %d other bytes", it.Name, len(data))
			}
			if err != nil {
				return err
			}
			found = true
		}
	}
	if !found {
		return errors.New("no turn has an attachment")
	}
	return nil
}

// isGone reports that there is no such session, or nothing left of it.
func isGone(err error) bool {
	return fault.Is(err, fault.SessionNotFound) || errors.Is(err, session.ErrMalformed)
}
