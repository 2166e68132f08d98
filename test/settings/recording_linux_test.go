package settings

import (
	"path/filepath"
	"strings"
	"time"
)

// recording are the settings of sessions, logs and stored files.
var recording = map[string]check{
	"log.segment_bytes": {
		set: "64KiB", shows: `000[2-9].jsonl`, without: `^0001.jsonl\n$`,
		see: func(b *bench) string {
			b.script("say: " + strings.Repeat("word ", 50_000))
			id := sessionOf(b.turn("go"))
			b.turn("--session", id, "more")
			return b.under(b.project + "/.belay/sessions/" + id + "/log")
		},
	},
	"log.retention": {
		set: "1d", also: settings{"log.segment_bytes": "64KiB"}, shows: `^000[2-9].jsonl`, without: `^0001.jsonl`,
		see: func(b *bench) string {
			b.script("say: " + strings.Repeat("word ", 50_000))
			id := sessionOf(b.turn("go"))
			b.turn("--session", id, "more")
			b.age(b.project+"/.belay/sessions", 48*time.Hour)
			b.run("gc")
			return b.under(b.project + "/.belay/sessions/" + id + "/log")
		},
	},
	"blobs.retention": {
		set: "1d", shows: `^$`, without: `[0-9a-f]{64}`,
		see: func(b *bench) string {
			b.file("a.txt", "some text")
			id := sessionOf(b.turn("--attach", "a.txt", "go"))
			b.turn("another session of the project")
			b.run("session", "delete", id)
			b.age(b.project+"/.belay/blobs", 48*time.Hour)
			b.run("gc")
			return b.under(b.project + "/.belay/blobs")
		},
	},
}

// busing are the settings of the bus.
var busing = map[string]check{
	"bus.enabled": {
		set: "on", shows: `^stream`, without: `^no stream`,
		see: func(b *bench) string { return b.stream() },
	},
}

// stream is what a server keeps of the bus on disk.
func (b *bench) stream() string {
	b.t.Helper()
	s := b.serve()
	s.ask("POST", "/api/harness/turn", turnRequest{SessionID: s.session(), Message: "go"})
	s.stop()
	var all strings.Builder
	for name := range strings.Lines(b.under(b.home + "/state")) {
		if name = strings.TrimSuffix(name, "\n"); strings.HasSuffix(name, "meta.inf") && strings.Contains(name, "streams") {
			text, err := readFile(filepath.Join(b.home, "state", name))
			must(b.t, err)
			all.WriteString(text)
		}
	}
	if all.Len() == 0 {
		return "no stream"
	}
	return "stream " + all.String()
}
