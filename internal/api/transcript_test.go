package api_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"go.uber.org/goleak"

	"belay/internal/api"
	"belay/internal/api/apitest"
	"belay/internal/attachment"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/permit"
	"belay/internal/turn"
	"belay/internal/workflow/catalog"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A transcript is a txtar file: a comment that says what it shows, an optional
// "options" section, then "request" and "answer" sections in turn. Every file
// starts with a server of its own that has one session, s1, in /project. Sections
// "file NAME" make a project folder, which {project} stands for in requests and
// answers; {tag} is the entity tag of the answer before.

// Covers: turn-api REQ-01, REQ-03, REQ-07, REQ-08, REQ-09, REQ-10
func TestTurnTranscripts(t *testing.T) { transcripts(t, "turn") }

func TestSessionTranscripts(t *testing.T) { transcripts(t, "session") }

// Covers: turn-api REQ-04
func TestControlTranscripts(t *testing.T) { transcripts(t, "control") }

func TestAttachmentTranscripts(t *testing.T) { transcripts(t, "attachment") }

func TestGuardTranscripts(t *testing.T) { transcripts(t, "guard") }

func TestSystemTranscripts(t *testing.T) { transcripts(t, "system") }

// Covers: workspace 15, 15.1, 15.2, 15.3
func TestProjectTranscripts(t *testing.T) { transcripts(t, "project") }

func transcripts(t *testing.T, dir string) {
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts in testdata/%s: %v", dir, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			transcript(t, file)
		})
	}
}

func transcript(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	engine := &apitest.Engine{Files: sampleFiles}
	opts := api.Options{Engine: engine, Version: "1.2.3"}
	out := &txtar.Archive{Comment: archive.Comment}
	var base string
	held := false
	folder := &projectFolder{}
	for i, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "file "); ok {
			out.Files = append(out.Files, f)
			folder.put(t, &opts, name, f.Data)
		}
		if f.Name == "propose" {
			out.Files = append(out.Files, f)
			folder.propose(t, string(f.Data))
		}
		if f.Name == "options" {
			out.Files = append(out.Files, f)
			configure(t, string(f.Data), &opts, engine)
			held = bytes.Contains(f.Data, []byte("held: "))
		}
		if f.Name != "request" {
			continue
		}
		if base == "" {
			if runs, ok := opts.Workflows.Runs.(*sampleRuns); ok {
				runs.project = folder.root
			}
			if all, ok := opts.Overview.(*sampleOverview); ok {
				all.root = folder.root
			}
			base = serve(t, api.New(opts))
			if _, err := engine.Create(t.Context(), turn.CreateRequest{ProjectRoot: "/project"}); err != nil {
				t.Fatal(err)
			}
			if held {
				hold(t, engine)
			}
		}
		got := folder.hide(exchange(t, base, folder.show(string(f.Data))))
		if !held {
			engine.Wait()
		}
		out.Files = append(out.Files, f, txtar.File{Name: "answer", Data: []byte(got)})
		if !*update {
			want := ""
			if i+1 < len(archive.Files) && archive.Files[i+1].Name == "answer" {
				want = string(archive.Files[i+1].Data)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("answer %d (-want +got):\n%s", (len(out.Files)+1)/2, diff)
			}
		}
	}
	if *update {
		if err := os.WriteFile(file, txtar.Format(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// hold begins a turn in s1 that runs as long as the test does.
func hold(t *testing.T, engine *apitest.Engine) {
	s, err := engine.Start(t.Context(), turn.Request{SessionID: "s1", Message: apitest.Hold})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		engine.Release("s1")
		engine.Wait()
		_ = s.Close()
	})
}

// question is what a held turn of s1 asks.
func question(id string) permit.Request {
	var expires time.Time
	if id == "dec_1" { // others wait without a limit
		expires = apitest.Start.Add(5 * time.Minute)
	}
	return permit.Request{Expires: expires, ID: id, SessionID: "s1", TurnID: "t1", ToolCallID: "c1", ProjectRoot: "/project", Persona: "WORKING_ITEMS", Agent: "WORKING_ITEMS",
		Effect: permit.Effect{Tool: "bash", Kind: permit.Execute, Summary: "run npm test", Command: "npm test", Dir: "web",
			Commands: []permit.Command{{Name: "npm", Words: []string{"npm", "test"}, Fixed: 2, Class: "npm test"}}},
		Input: []byte(`{"command":"npm test"}`), Reason: "the mode direct asks about commands", Session: true, PID: 42}
}

// sampleFiles are the blobs that sessions have in transcripts.
var sampleFiles = map[string]apitest.File{
	"aa11": {Item: attachment.Item{SHA256: "aa11", Kind: attachment.KindText, MIMEType: "text/markdown", Bytes: 8, Name: `Übersicht "neu".md`},
		Data: []byte("# Hello\n")},
}

// serve starts the handler on a loopback port for the length of the test.
func serve(t testing.TB, h http.Handler) string {
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

// configure reads the options section: "name: value" lines.
func configure(t *testing.T, section string, o *api.Options, engine *apitest.Engine) {
	for line := range strings.Lines(section) {
		name, v, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch name {
		case "token":
			o.Token = v
		case "operator":
			o.Operator = api.NewOperator(api.OperatorOptions{Token: v})
		case "bound":
			o.BoundAddr = v
		case "allowed":
			o.AllowedHosts = append(o.AllowedHosts, v)
		case "body-bytes":
			o.BodyBytes = number(t, v)
		case "upload-bytes":
			o.UploadBytes = number(t, v)
		case "transitions":
			o.Projects.OpenTransitions = v == "open"
		case "if-match":
			o.Projects.RequireIfMatch = v == "required"
		case "held":
		case "ask":
			engine.Ask(question(v))
		case "changed":
			engine.Fail = map[string]error{
				"Undo":      fault.New(fault.ContentChanged, "changed since the turn").With("paths", []string{v}),
				"ApplyKept": fault.New(fault.ContentChanged, "changed since the command began").With("paths", []string{v}),
			}
		case "forget":
			engine.Forget = number(t, v)
		case "panic":
			o.Doctor = func(context.Context) (any, error) { panic("secret of the server") }
		case "unready":
			o.Ready = func(context.Context) (api.Readiness, error) {
				return api.Readiness{}, fault.New(fault.MissingAPIKey, "%s", v)
			}
		case "degraded":
			o.Ready = func(context.Context) (api.Readiness, error) {
				return api.Readiness{Missing: []api.Missing{{"event bus", v, "nothing is published to the event bus"}},
					Projects: []api.Unwritable{{"/srv/bridge", v}}}, nil
			}
		case "workflows":
			o.Workflows = api.Workflows{Runs: &sampleRuns{}, Limits: catalog.Limits{FileBytes: 1 << 20, Entries: 100, Read: 1 << 20, Files: 3}}
		case "overview":
			o.Overview = &sampleOverview{}
		case "pipeline":
			o.Pipeline = samplePipeline(t, o, engine)
		case "maker":
			o.Scaffolder = sampleScaffolder{}
		case "info":
			o.Models = func(context.Context) (api.ModelList, error) {
				return api.ModelList{Default: "scripted", Models: []api.ModelInfo{{ID: "scripted", Name: "scripted (offline)", Provider: "scripted",
					ContextTokens: 200_000, OutputTokens: 32_000, Images: true, Price: &model.Price{Input: 1, Output: 2}}}}, nil
			}
			o.Info = func(context.Context) (api.SystemInfo, error) {
				return api.SystemInfo{Provider: "scripted", ProviderName: "scripted (offline)", DefaultModel: "scripted", DefaultMode: "direct", DefaultPersona: "WORKING_ITEMS",
					Modes: []string{"direct"}, Limits: api.InfoLimits{AttachmentExtensions: []string{".md"}}, Features: map[string]bool{"bash": true}}, nil
			}
		case "reports":
			o.Doctor = func(context.Context) (any, error) { return map[string]string{"html": "<a&b>"}, nil }
			o.Config = func(context.Context) (any, error) { return nil, errors.New("disk on fire at /secret/path") }
		default:
			t.Fatalf("unknown option %q", name)
		}
	}
}

func number(t *testing.T, s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// exchange sends a request section: a line with method and path, headers, a
// blank line and the body, in which \xNN stands for a byte.
func exchange(t *testing.T, base, section string) string {
	head, body, _ := strings.Cut(section, "\n\n")
	lines := strings.Split(strings.TrimSpace(head), "\n")
	method, path, _ := strings.Cut(lines[0], " ")
	body = strings.TrimSuffix(body, "\n")
	body = hexEscapes(body)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		name, v, _ := strings.Cut(line, ":")
		v = strings.ReplaceAll(strings.TrimSpace(v), "{base}", base)
		if name == "Host" {
			req.Host = v
		} else {
			req.Header.Add(name, v)
		}
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer(res, data)
}

func hexEscapes(s string) string {
	var b bytes.Buffer
	for {
		before, after, ok := strings.Cut(s, `\x`)
		b.WriteString(before)
		if !ok || len(after) < 2 {
			return b.String()
		}
		n, _ := strconv.ParseUint(after[:2], 16, 8)
		b.WriteByte(byte(n))
		s = after[2:]
	}
}

// constant are headers that every answer has; TestSecurityHeaders and TestRequestIDs check them.
var constant = []string{"Date", "X-Request-Id", "Content-Length", "X-Content-Type-Options", "Referrer-Policy",
	"Cross-Origin-Resource-Policy", "Content-Security-Policy"}

func answer(res *http.Response, body []byte) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d\n", res.StatusCode)
	if res.Close {
		b.WriteString("Connection: close\n")
	}
	var names []string
	for name := range res.Header {
		if !slices.Contains(constant, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(res.Header[name], " | "))
	}
	if len(body) > 0 {
		fmt.Fprintf(&b, "\n%s\n", bytes.TrimRight(body, "\n"))
	}
	return b.String()
}
