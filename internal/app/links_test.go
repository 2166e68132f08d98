package app

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/attachment/block"
	"belay/internal/event"
	"belay/internal/turn"
)

// renews gives the present address of the one file that there is.
type renews string

func (r renews) Renew(context.Context, string) (string, error) { return string(r), nil }

// A surface hands a turn a file at a signed address, which has expired. The agent saves it with a
// call that names nothing. The signatures are in the state folder and nowhere else.
func TestLinks(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("hm") != "newsecret" {
			http.Error(w, "gone", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "text/csv")
		_, _ = io.WriteString(w, "a,b\n")
	}))
	t.Cleanup(s.Close)
	home, project := t.TempDir(), t.TempDir()
	script := filepath.Join(home, "script.yaml")
	if err := os.WriteFile(script, []byte(`turns: [{when: save, steps: [{call: {name: attachment.download, input: {downloadDir: in}}}, {say: Saved.}]}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := loadIn(t, home, "scripted: {script: "+script+", pace: 0}\ntools: {receive_hosts: ['"+strings.TrimPrefix(s.URL, "http://")+"']}\n")
	cfg.Paths.StateDir, cfg.Paths.CacheDir = filepath.Join(home, "state"), filepath.Join(home, "cache")
	a, err := Open(cfg, "test", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	a.Links().Provide("test:", renews(s.URL+"/table?hm=newsecret"))
	rec, err := a.Engine.Create(t.Context(), turn.CreateRequest{ProjectRoot: project})
	if err != nil {
		t.Fatal(err)
	}
	stream, err := a.Engine.Start(t.Context(), turn.Request{
		SessionID: rec.SessionID, Message: "save it", Opts: turn.Opts{Mode: "acceptEdits"},
		Links: []block.Item{{ID: "test:1", URL: s.URL + "/table?hm=oldsecret", Filename: "table.csv"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var output string
	for {
		events, err := stream.Next(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			var o event.ToolOutcome
			if e.Type == event.ToolResult && json.Unmarshal(e.Data, &o) == nil {
				output = o.Output
			}
		}
	}
	if !strings.Contains(output, `"ok":true`) || !strings.Contains(output, `"sourceUrl":"`+s.URL+`/table"`) {
		t.Errorf("the result is %s", output)
	}
	if saved, err := filepath.Glob(filepath.Join(project, "in", "*.csv")); err != nil || len(saved) != 1 {
		t.Errorf("saved: %q, %v", saved, err)
	}
	for _, dir := range []string{project, cfg.Paths.CacheDir} {
		if with := withText(t, dir, "secret"); len(with) > 0 {
			t.Errorf("signatures in %q", with)
		}
	}
	for _, path := range withText(t, cfg.Paths.StateDir, "secret") {
		if filepath.Base(filepath.Dir(path)) != "links" {
			t.Errorf("a signature in %s", path)
		}
	}
}

// withText lists the files below a folder that have a text.
func withText(t *testing.T, dir, text string) (with []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) {
			with = append(with, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return with
}
