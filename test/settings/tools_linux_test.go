package settings

import (
	"fmt"
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
	"fetch.allowed_hosts": {
		set: "", shows: `"ok":true`, without: `"ok":false`,
		see: func(b *bench) string { return b.fetch(b.web("page", "words"), !b.standard) },
	},
	"hooks": {
		set: `{no: {command: [sh, -c, 'echo "{\"verdict\":\"deny\",\"note\":\"not here\"}"'], calls: [write]}}`, shows: `not here`, without: `"ok":true`,
		see: func(b *bench) string { return b.calls("{name: write, input: {path: a.txt, content: x}}") },
	},
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
