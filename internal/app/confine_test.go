package app

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/turn"
	"belay/internal/turn/changes"
)

// Who has the access token of a server on a network reaches the projects that
// it serves, and no other folder, by whatever name.
func TestProjectRoots(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	served, secret := filepath.Join(base, "served"), filepath.Join(base, "secret")
	for _, dir := range []string{filepath.Join(served, "bridge"), secret} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cfg := load(t, "scripted: {pace: 0}\naddr: 0.0.0.0:0\nserver: {project_roots: ["+served+"]}\n")
	cfg.Paths.StateDir, cfg.Paths.CacheDir = filepath.Join(base, "state"), filepath.Join(base, "cache")
	a, err := Open(cfg, "test", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	e := a.engine(&carrier{})

	inside, err := e.Create(ctx, turn.CreateRequest{ProjectRoot: filepath.Join(served, "bridge")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.List(ctx, served); err != nil {
		t.Errorf("the root itself: %v", err)
	}
	if _, err := e.List(ctx, filepath.Join(served, "none")); !fault.Is(err, fault.WorkingRootInaccessible) {
		t.Errorf("a folder that is not there: %v", err)
	}
	if _, err := e.Create(ctx, turn.CreateRequest{ProjectRoot: "relative"}); !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("a relative path: %v", err)
	}

	elsewhere := []string{secret, base, filepath.Join(served, "..", "secret"), filepath.Join(secret, "none"), served + "x", string(filepath.Separator)}
	if runtime.GOOS != "windows" {
		for link, to := range map[string]string{"out": secret, "nowhere": filepath.Join(base, "later")} {
			if err := os.Symlink(to, filepath.Join(served, link)); err != nil {
				t.Fatal(err)
			}
			elsewhere = append(elsewhere, filepath.Join(served, link), filepath.Join(served, link, "below"))
		}
	}
	for _, root := range elsewhere {
		_, create := e.Create(ctx, turn.CreateRequest{ProjectRoot: root})
		_, list := e.List(ctx, root)
		_, page := e.ListPage(ctx, root, session.ListOptions{Limit: 1})
		_, upload := e.Upload(ctx, turn.Upload{ProjectRoot: root, Name: "x.txt", Content: strings.NewReader("x")})
		_, inspect := e.Inspect(ctx, turn.InspectRequest{ProjectRoot: root})
		_, kept := e.Kept(ctx, root)
		_, change := e.KeptChange(ctx, root, "chg_0123456789abcdef")
		_, keep := e.ApplyKept(ctx, changes.KeptRequest{ProjectRoot: root, ID: "chg_0123456789abcdef"})
		_, drop := e.DropKept(ctx, changes.KeptRequest{ProjectRoot: root, ID: "chg_0123456789abcdef"})
		for call, err := range map[string]error{
			"create": create, "list": list, "page": page, "upload": upload, "inspect": inspect,
			"kept": kept, "change": change, "keep": keep, "drop": drop,
		} {
			if f := fault.From(err); f == nil || f.Status != 403 || f.Type != fault.Forbidden || f.Details["reason"] != "project" {
				t.Errorf("%s in %s: %v", call, root, err)
			}
		}
	}

	outside, err := a.Engine.Create(ctx, turn.CreateRequest{ProjectRoot: secret})
	if err != nil {
		t.Fatal(err)
	}
	if found, err := e.Find(ctx, inside.SessionID); err != nil || len(found) != 1 {
		t.Errorf("found inside %v, %v", found, err)
	}
	for id, forbidden := range map[string]bool{inside.SessionID: false, outside.SessionID: true, "unknown": false} {
		for call, err := range everyCall(ctx, e, id) {
			if got := fault.Is(err, fault.Forbidden); got != forbidden {
				t.Errorf("%s of a session, forbidden %v: %v", call, forbidden, err)
			}
		}
	}
	if found, err := e.Find(ctx, outside.SessionID); err != nil || len(found) != 0 {
		t.Errorf("found %v, %v", found, err)
	}

	// A session that cannot be read is still one of its project.
	for root, forbidden := range map[string]bool{filepath.Join(served, "bridge"): false, secret: true} {
		rec, err := a.Engine.Create(ctx, turn.CreateRequest{ProjectRoot: root})
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(root, ".belay", "sessions", rec.SessionID)
		for _, file := range []string{"session.json", "transcript.jsonl"} {
			if err := os.WriteFile(filepath.Join(folder, file), []byte("{"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for call, err := range everyCall(ctx, e, rec.SessionID) {
			if got := fault.Is(err, fault.Forbidden); got != forbidden || err == nil && call != "delete" && call != "decisions" {
				t.Errorf("%s of a damaged session, forbidden %v: %v", call, forbidden, err)
			}
		}
		if _, err := os.Stat(folder); os.IsNotExist(err) == forbidden {
			t.Errorf("after the deletion, forbidden %v: %v", forbidden, err)
		}
	}
}

// Where nobody can say to which project a session belongs, nothing is allowed.
func TestConfinedFailsClosed(t *testing.T) {
	t.Parallel()
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("too many open files")
	for name, listed := range map[string]func(context.Context, string) (session.Record, error){
		"no record": func(context.Context, string) (session.Record, error) { return session.Record{}, broken },
		"of a folder that all projects share": func(context.Context, string) (session.Record, error) {
			return session.Record{Damaged: "session.json is malformed"}, nil
		},
	} {
		c := confined{listed: listed, roots: allowedRoots{wd}}
		if err := c.session(t.Context(), "sess_1"); err == nil {
			t.Errorf("%s: the session is allowed", name)
		}
	}
}

// everyCall makes each call that names a session, the deletion last.
func everyCall(ctx context.Context, e turn.Engine, id string) map[string]error {
	errs := map[string]error{}
	closed := func(s turn.Stream, err error) error {
		if err == nil {
			err = s.Close()
		}
		return err
	}
	_, errs["get"] = e.Get(ctx, id)
	_, errs["boot"] = e.Boot(ctx, turn.BootRequest{SessionID: id})
	s, err := e.Start(ctx, turn.Request{SessionID: id, Message: "hello"})
	for errs["start"] = err; err == nil; {
		_, err = s.Next(ctx)
	}
	if s != nil {
		errs["close"] = errors.Join(s.Close(), errs["start"])
	}
	errs["events"] = closed(e.Events(ctx, id, 0, ""))
	errs["interrupt"] = e.Interrupt(ctx, id, "")
	_, errs["transcript"] = e.Transcript(ctx, id)
	_, errs["manifest"] = e.Manifest(ctx, id, "")
	_, errs["inspect"] = e.Inspect(ctx, turn.InspectRequest{SessionID: id})
	_, errs["upload"] = e.Upload(ctx, turn.Upload{SessionID: id, Name: "x.txt", Content: strings.NewReader("x")})
	_, _, errs["blob"] = e.Blob(ctx, id, "none")
	errs["steer"] = e.Steer(ctx, turn.SteerRequest{SessionID: id, Message: "left"})
	_, errs["decisions"] = e.Decisions(ctx, id)
	_, errs["decide"] = e.Decide(ctx, turn.DecisionRequest{SessionID: id, DecisionID: "none", Verdict: permit.VerdictDeny})
	_, errs["changes"] = e.Changes(ctx, id, "")
	_, errs["undo"] = e.Undo(ctx, changes.UndoRequest{SessionID: id, TurnID: "none"})
	_, errs["fork"] = e.Fork(ctx, changes.ForkRequest{SessionID: id})
	errs["delete"] = e.Delete(ctx, id)
	return errs
}

// What nobody set depends on who can reach the server.
func TestProjectRootsByDefault(t *testing.T) {
	t.Parallel()
	project, a, b := t.TempDir(), filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	for yaml, want := range map[string]string{
		"addr: 127.0.0.1:0": "any", "addr: 0.0.0.0:0": project,
		"addr: 127.0.0.1:0\nserver: {project_roots: [" + a + ", " + b + "]}": a + "," + b,
	} {
		cfg := load(t, yaml+"\nproject: "+project+"\n")
		roots := projectRoots(cfg)
		got := strings.Join(roots, ",")
		if roots == nil {
			got = "any"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", yaml, got, want)
		}
		if confined := cfg.ConfineAttachments(); confined != (want != "any") {
			t.Errorf("%s: attachments are of the project only: %v", yaml, confined)
		}
	}
}

func TestDoctorTellsProjectRoots(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	tests := []struct {
		yaml   string
		level  Level
		detail string
	}{
		{"addr: 127.0.0.1:0", OK, "any"},
		{"addr: 0.0.0.0:0", Notice, project},
		{"server: {project_roots: [" + project + "]}", OK, project},
		{"server: {project_roots: [" + filepath.Join(project, "none") + "]}", Problem, "none"},
	}
	for _, tt := range tests {
		c := servedRoots(load(t, tt.yaml+"\nproject: "+project+"\n"))
		if c.Level != tt.level || !strings.Contains(c.Detail, tt.detail) || (c.Next == "") != (c.Level == OK) {
			t.Errorf("%s: %+v", tt.yaml, c)
		}
	}
}
