package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/chromedp"

	"belay/bench/material/sessions"
	"belay/bench/proc"
)

// server is a belay that runs, with folders of its own.
type server struct {
	*proc.Server
	dir, project, token string
	// long is a session of many messages, "" for none.
	long string
}

// script has turns that ask, and others that speak for longer than they are watched.
func script() string {
	return `turns:
  - when: ask
    steps:
      - call: {name: write, input: {path: note.md, content: "a note\n"}}
      - say: Done.
  - steps:
      - say: "` + strings.Repeat("The words of an answer that goes on. ", 300) + `"
`
}

// setup says what a server has.
type setup struct {
	// turns are those of one session, 0 is no session.
	turns int
	// project is the folder of the project where that is there already.
	project string
}

// startServer starts belay in a project.
func (b *bench) startServer(ctx context.Context, set setup) (_ *server, err error) {
	s := &server{project: set.project}
	if s.dir, err = os.MkdirTemp(b.dir, "server-"); err != nil {
		return nil, err
	}
	if s.project == "" {
		s.project = filepath.Join(s.dir, "project")
	}
	home := filepath.Join(s.dir, "home")
	for _, d := range []string{s.project, home, filepath.Join(s.dir, "tmp")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	if set.turns > 0 {
		m, err := sessions.New(home, s.project)
		if err != nil {
			return nil, err
		}
		s.long, _, err = m.Long(ctx, set.turns)
		if err = errors.Join(err, m.Close()); err != nil {
			return nil, err
		}
	}
	rules := filepath.Join(s.dir, "script.yaml")
	if err := os.WriteFile(rules, []byte(script()), 0o600); err != nil {
		return nil, err
	}
	s.Server, err = proc.Start(ctx, proc.Command{
		Path: b.o.Belay, Args: []string{"serve", "--addr", "127.0.0.1:0", "--provider", "scripted", "--project", s.project},
		Dir: s.project, Probe: "/healthz",
		Env: append(proc.Env(s.dir), "BELAY_SCRIPTED_SCRIPT="+rules, "BELAY_SCRIPTED_PACE=35ms"),
	})
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(home, "state", "belay", "operator.token"))
	if err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	s.token = strings.TrimSpace(string(data))
	return s, nil
}

// send sends a request with the operator's authority; the caller closes the body.
func (s *server) send(ctx context.Context, method, path string, body any) (*http.Response, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, "http://"+s.Addr+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+s.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10)) // only to say more
		_ = res.Body.Close()
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, res.Status, said)
	}
	return res, nil
}

// call sends a request and decodes the answer.
func (s *server) call(ctx context.Context, method, path string, body, answer any) error {
	res, err := s.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	return errors.Join(json.NewDecoder(res.Body).Decode(answer), res.Body.Close())
}

// session makes one.
func (s *server) session(ctx context.Context) (string, error) {
	var made struct{ Session struct{ SessionID string } }
	err := s.call(ctx, http.MethodPost, "/api/harness/session/create", map[string]any{"projectRoot": s.project}, &made)
	return made.Session.SessionID, err
}

// turn starts a turn, which goes on without a reader.
func (s *server) turn(ctx context.Context, session, message string) error {
	res, err := s.send(ctx, http.MethodPost, "/api/harness/turn", map[string]any{"sessionId": session, "message": message})
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// enter pairs a tab with the server.
func (s *server) enter(ctx context.Context, t *tab) error {
	var link struct{ URL string }
	if err := s.call(ctx, http.MethodPost, "/api/auth/link", struct{}{}, &link); err != nil {
		return err
	}
	if err := t.do(chromedp.Navigate(link.URL)); err != nil {
		return err
	}
	return t.until("document.querySelector('#message:enabled') && !location.hash.includes('code')")
}

// logged is when the first event of a type was appended to a session's log.
func (s *server) logged(session, event string) (time.Time, error) {
	data, err := os.ReadFile(filepath.Join(s.project, ".belay", "sessions", session, "log", "0001.jsonl"))
	if err != nil {
		return time.Time{}, err
	}
	for line := range bytes.Lines(data) {
		var e struct {
			Type string
			Time time.Time
		}
		if json.Unmarshal(line, &e) == nil && e.Type == event {
			return e.Time, nil
		}
	}
	return time.Time{}, fmt.Errorf("the log has no %s", event)
}
