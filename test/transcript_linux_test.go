package test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var updateTranscripts = flag.Bool("update", false, "rewrite what the server said in testdata/questions")

// transcript is a conversation of a client with a server of its own, which runs real
// commands. It is a txtar file: a comment that says what it shows, and then sections.
//
//	env          lines for the server's environment
//	script       what the scripted model answers
//	file NAME    a file of the project from the beginning
//	request      a method and a path, headers, a blank line, and a body
//	answer       what the server said to it; of a turn, the events up to its first question
//	stream       the events of that turn from there to its next question, or to its end
//	feed E D     the event E about the question D of GET /api/events
//	project      the files that the project then holds
//
// The session is sess_1. Ids count up from 1 in the order in which they are seen, and
// {project} and {operator} stand for the project's folder and the operator's token. Times,
// durations and the number of the process are hidden. Events of a turn that have nothing to
// do with a call are left out ([ofCalls]), and so are the ids of events.
type transcript struct {
	*server
	file  string
	names map[string]string // of ids, by what they are called here
	seen  map[string]string // the other way round
	turn  *eventReader
	feed  *eventReader
	fed   []rawEvent // what the feed has reported about questions
}

// ofCalls are the events of a turn's stream that a transcript shows.
var ofCalls = []string{
	"tool:call", "tool:output", "tool:result", "permission:request", "permission:resolved", "turn:warning", "turn:error", "process:exit",
}

// runTranscript plays the requests of a file and compares what comes back.
func runTranscript(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	must(t, err)
	p := newPlace(t)
	tr := &transcript{file: file, names: map[string]string{}, seen: map[string]string{}}
	for _, f := range archive.Files {
		kind, name, _ := strings.Cut(f.Name, " ")
		switch kind {
		case "env":
			p.env = append(p.env, strings.Fields(string(f.Data))...)
		case "script":
			p.scripted(string(f.Data))
		case "file":
			must(t, os.MkdirAll(filepath.Dir(filepath.Join(p.project, name)), 0o755))
			p.file(name, string(f.Data))
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tr.server = p.serve()
	tr.hide(tr.session()) // it is sess_1
	feed := tr.open(ctx, "GET", "/api/events", "")
	defer feed.Body.Close()
	tr.feed = newEventReader(feed.Body)
	_, err = tr.feed.until("feed:ready")
	must(t, err)
	defer func() {
		if tr.turn != nil {
			_ = tr.turn.body.Close()
		}
	}()
	var answer string
	for i, f := range archive.Files {
		var got string
		kind, rest, _ := strings.Cut(f.Name, " ")
		switch kind {
		case "request":
			answer = tr.request(ctx, string(f.Data))
			continue
		case "answer":
			got = answer
		case "stream":
			got = tr.stream()
		case "feed":
			got = tr.reported(strings.Cut(rest, " "))
		case "project":
			got = tr.files()
		default:
			continue
		}
		got = tr.hide(got)
		if diff := cmp.Diff(string(f.Data), got); diff != "" && !*updateTranscripts {
			t.Errorf("section %d, %s (-want +got):\n%s", i+1, f.Name, diff)
		}
		archive.Files[i].Data = []byte(got)
	}
	if *updateTranscripts && !t.Failed() {
		must(t, os.WriteFile(file, txtar.Format(archive), 0o644))
	}
}

// request sends a request and returns the answer. That of a turn stays open.
func (tr *transcript) request(ctx context.Context, section string) string {
	tr.t.Helper()
	head, body, _ := strings.Cut(tr.show(section), "\n\n")
	lines := strings.Split(strings.TrimSpace(head), "\n")
	method, path, _ := strings.Cut(lines[0], " ")
	var headers []string
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		headers = append(headers, name, value)
	}
	res := tr.open(ctx, method, path, strings.TrimSpace(body), headers...)
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		tr.turn = newEventReader(res.Body)
		return fmt.Sprintf("%d\n\n%s", res.StatusCode, tr.stream())
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	must(tr.t, err)
	return fmt.Sprintf("%d\n\n%s\n", res.StatusCode, bytes.TrimSpace(data))
}

// stream is what the turn's stream brings up to a question, or to its end.
func (tr *transcript) stream() string {
	tr.t.Helper()
	var b strings.Builder
	all, err := tr.turn.until("permission:request", "process:exit")
	must(tr.t, err)
	for _, e := range all {
		if slices.Contains(ofCalls, e.name) {
			fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", e.name, e.data)
		}
	}
	return b.String()
}

// reported is the event of the feed about a question. The next question may be reported
// before the answer to the one before.
func (tr *transcript) reported(name, question string, _ bool) string {
	tr.t.Helper()
	about := func(e rawEvent) bool {
		return e.name == name && strings.Contains(e.data, jsonOf(tr.names[question]))
	}
	for !slices.ContainsFunc(tr.fed, about) {
		all, err := tr.feed.until("decision:opened", "decision:closed")
		must(tr.t, err)
		tr.fed = append(tr.fed, all[len(all)-1])
	}
	e := tr.fed[slices.IndexFunc(tr.fed, about)]
	return fmt.Sprintf("event: %s\ndata: %s\n\n", e.name, e.data)
}

// files lists the project's files with their contents.
func (tr *transcript) files() string {
	tr.t.Helper()
	var b strings.Builder
	must(tr.t, filepath.WalkDir(tr.project, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".belay":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		name, err := filepath.Rel(tr.project, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s: %q\n", name, text)
		return err
	}))
	return b.String()
}

// What differs from run to run.
var (
	idForm   = regexp.MustCompile(`\b(sess|turn|dec|chg|p)_[0-9a-f][0-9a-f-]{7,}`)
	varying  = regexp.MustCompile(`"(created|time|expires|expiresAt)":"[^"]*"`)
	duration = regexp.MustCompile(`"durationMs":\d+`)
	process  = regexp.MustCompile(`"pid":\d+`)
	unknown  = regexp.MustCompile(`(its name does not resolve) \([^)]*\)`) // as the machine says it
	lasted   = regexp.MustCompile(`(exit code \d+ after )[0-9.]+m?s`)
)

// hide replaces what differs from run to run.
func (tr *transcript) hide(text string) string {
	text = strings.ReplaceAll(text, tr.project, "{project}")
	text = idForm.ReplaceAllStringFunc(text, func(id string) string {
		if name := tr.seen[id]; name != "" {
			return name
		}
		kind, _, _ := strings.Cut(id, "_")
		n := 1
		for tr.names[fmt.Sprintf("%s_%d", kind, n)] != "" {
			n++
		}
		name := fmt.Sprintf("%s_%d", kind, n)
		tr.names[name], tr.seen[id] = id, name
		return name
	})
	text = varying.ReplaceAllString(text, `"$1":"…"`)
	text = duration.ReplaceAllString(text, `"durationMs":1`)
	text = process.ReplaceAllString(text, `"pid":1`)
	text = unknown.ReplaceAllString(text, "$1 (…)")
	return lasted.ReplaceAllString(text, "${1}1ms")
}

// show is the reverse of hide, for requests.
func (tr *transcript) show(text string) string {
	for name, id := range tr.names {
		text = regexp.MustCompile(`\b`+name+`\b`).ReplaceAllLiteralString(text, id)
	}
	token, err := os.ReadFile(filepath.Join(tr.state(), "operator.token"))
	must(tr.t, err)
	return strings.NewReplacer("{project}", tr.project, "{operator}", strings.TrimSpace(string(token))).Replace(text)
}

// rawEvent is an event as it came: the order of its members is that of the server.
type rawEvent struct{ name, data string }

// eventReader reads a stream of events.
type eventReader struct {
	body io.ReadCloser
	in   *bufio.Reader
}

func newEventReader(body io.ReadCloser) *eventReader {
	return &eventReader{body, bufio.NewReader(body)}
}

// until reads up to the first event of one of these names. Pieces of output that follow
// each other come as one: how a command's output is cut depends on time.
func (r *eventReader) until(names ...string) (all []rawEvent, err error) {
	var e rawEvent
	for {
		line, err := r.in.ReadString('\n')
		if err != nil {
			return all, err
		}
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "event: "):
			e.name = line[7:]
		case strings.HasPrefix(line, "data: "):
			e.data = line[6:]
		case line == "" && e.name != "":
			if last := len(all) - 1; last < 0 || !joined(&all[last], e) {
				all = append(all, e)
			}
			if slices.Contains(names, e.name) {
				return all, nil
			}
			e = rawEvent{}
		}
	}
}

// joined adds a piece of output to the one before it, if both are of one call.
func joined(before *rawEvent, e rawEvent) bool {
	type output struct {
		ToolCallID string `json:"toolCallId"`
		Offset     int    `json:"offset"`
		Text       string `json:"text"`
	}
	var a, b output
	if before.name != "tool:output" || e.name != "tool:output" ||
		json.Unmarshal([]byte(before.data), &a) != nil || json.Unmarshal([]byte(e.data), &b) != nil ||
		a.ToolCallID != b.ToolCallID || b.Offset != a.Offset+len(a.Text) {
		return false
	}
	a.Text += b.Text
	before.data = jsonOf(a)
	return true
}
