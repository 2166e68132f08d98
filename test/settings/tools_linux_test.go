package settings

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
)

// tools are the limits of the file tools and of fetch, and hooks.
var tools = map[string]check{
	"tools.output_bytes": {
		set: "1KiB", shows: `"truncated":true`, without: `line 299.*"exitCode":0`,
		see: func(b *bench) string {
			b.file("long.txt", numbered(300))
			return b.calls("{name: read, input: {path: long.txt}}")
		},
	},
	"tools.keep_bytes": {
		set: "1KiB", shows: `exit code [1-9]`, without: `undone.*exit code 0`,
		see: func(b *bench) string {
			b.file("notes.txt", strings.Repeat("old\n", 1000))
			out := b.calls("{name: read, input: {path: notes.txt}}", fmt.Sprintf("{name: write, input: {path: notes.txt, content: %q}}", strings.Repeat("new\n", 1000)))
			return b.run("session", "undo", sessionOf(out))
		},
	},
	"tools.send_file_bytes": {
		set: "1KiB", shows: `tools.send_file_bytes`, without: `"type":"attachment:add"`,
		see: func(b *bench) string {
			b.file("notes.txt", numbered(300))
			return b.calls("{name: attachment.add, input: {path: notes.txt}}")
		},
	},
	"tools.send_call_bytes": {
		set: "4KiB", shows: `tools.send_call_bytes`, without: `"type":"attachment:add"`,
		see: func(b *bench) string {
			b.file("a.txt", numbered(300))
			b.file("b.txt", numbered(300))
			return b.calls("{name: attachment.add, input: {paths: [a.txt, b.txt]}}")
		},
	},
	"tools.receive_file_bytes": {
		set: "1KiB", shows: `tools.receive_file_bytes`, without: `\.txt\\",\\"sha10`,
		see: func(b *bench) string { return b.receive("--attach", b.file("notes.txt", numbered(300))) },
	},
	"tools.receive_call_bytes": {
		set: "8KiB", shows: `tools.receive_call_bytes`, without: `sha10.*sha10`,
		see: func(b *bench) string {
			return b.receive("--attach", b.file("a.txt", numbered(300)), "--attach", b.file("b.txt", numbered(301)))
		},
	},
	"tools.receive_hosts": {
		set: "", shows: `sha10`, without: `only https is allowed`,
		see: func(b *bench) string {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("words")) }))
			b.t.Cleanup(s.Close)
			if !b.standard {
				b.settings["tools.receive_hosts"] = "['" + strings.TrimPrefix(s.URL, "http://") + "']"
			}
			id := sessionOf(b.run("turn", "hello"))
			transcript := filepath.Join(b.project, ".belay/sessions", id, "transcript.jsonl")
			text, err := readFile(transcript)
			must(b.t, err)
			b.file(transcript, strings.Replace(text, `"message":"hello"`, `"message":"hello","links":[{"url":"`+s.URL+`/words.txt"}]`, 1))
			return b.receive("--session", id)
		},
	},
	"fetch.allowed_hosts": {
		set: "", shows: `"ok":true`, without: `"ok":false`,
		see: func(b *bench) string { return b.fetch(b.web("page", "words"), !b.standard) },
	},
	"mcp.servers": {
		set: `{files: {command: [` + mcpServer() + `, serve-mcp]}}`, shows: `"output":"hello"`, without: `there is no tool named mcp.files.echo`,
		see: func(b *bench) string {
			b.script("call: {name: mcp.files.echo, input: {text: hello}}", "say: That was all.")
			args := []string{"go"}
			if !b.standard {
				args = append(args, "--allow", "mcp.files.echo")
			}
			return b.turn(args...)
		},
	},
	"hooks": {
		set: `{no: {command: [sh, -c, 'echo "{\"verdict\":\"deny\",\"note\":\"not here\"}"'], calls: [write]}}`, shows: `not here`, without: `"ok":true`,
		see: func(b *bench) string { return b.calls("{name: write, input: {path: a.txt, content: x}}") },
	},
}

// mcpServer is this test binary, which is one where its argument says so (TestMain).
func mcpServer() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

// receive is the result of a turn that saves the files that people sent.
func (b *bench) receive(args ...string) string {
	b.t.Helper()
	b.script("call: {name: attachment.download, input: {}}", "say: That was all.")
	return resultOf(b.turn(append(args, "--allow", "attachment.download", "go")...))
}

// fetch is the result of a fetch, from a host that is allowed or not.
func (b *bench) fetch(url string, allowed bool) string {
	b.t.Helper()
	delete(b.settings, "fetch.allowed_hosts")
	if allowed {
		host, _, _ := strings.Cut(strings.TrimPrefix(url, "https://"), "/")
		b.settings["fetch.allowed_hosts"] = "['" + host + "']"
	}
	return resultOf(b.calls(fmt.Sprintf("{name: fetch, input: {url: %q}}", url)))
}

// numbered are lines that differ.
func numbered(n int) string {
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, "this is line %d\n", i)
	}
	return all.String()
}

// sessionOf is the session of a turn's output.
func sessionOf(output string) string {
	_, id, _ := strings.Cut(output, "session   ")
	id, _, _ = strings.Cut(id, "\n")
	return id
}
