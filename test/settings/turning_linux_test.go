package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// turning are the limits of a turn.
var turning = map[string]check{
	"turn.stall_timeout": {
		set: "200ms", shows: `the provider sent nothing for 200ms \(turn.stall_timeout\)`, without: `the end.*"exitCode":0`,
		see: func(b *bench) string { b.script("wait: 2s", "say: the end"); return b.turn("go") },
	},
	"turn.wall_limit": {
		set: "200ms", shows: `TURN_TIMEOUT.*turn.wall_limit`, without: `the end.*"exitCode":0`,
		see: func(b *bench) string { b.script("wait: 2s", "say: the end"); return b.turn("go") },
	},
	"turn.max_turns": {
		set: "2", shows: `"stopReason":"max_turns"`, without: `the end.*"exitCode":0`,
		see: func(b *bench) string {
			b.script("call: {name: list}", "say: one", "call: {name: list, input: {path: .}}", "say: two", "call: {name: list}", "say: the end")
			return b.turn("go")
		},
	},
	"turn.max_tokens": {
		set: "77", shows: `"max_(completion_)?tokens":77\b`, without: `^1 requests`,
		see: func(b *bench) string {
			p := b.provider(0)
			b.turn("go")
			return strings.TrimPrefix(p.asked(), map[bool]string{true: "", false: "1 requests\n"}[b.standard])
		},
	},
	"turn.max_cost_usd": {
		set: "0.001", shows: `budget`, without: `the end.*"exitCode":0`,
		see: func(b *bench) string {
			b.script("usage: {input: 100000, output: 50000}", "call: {name: list}", "say: the end")
			return b.turn("go")
		},
	},
	"turn.message_bytes": {
		set: "1KiB", shows: `turn.message_bytes|1024 bytes|1 KiB|1KiB`, without: `exit code 0`,
		see: func(b *bench) string { return b.turn(strings.Repeat("x", 2000)) },
	},
	"turn.answer_bytes": {
		set: "1KiB", shows: `turn.answer_bytes`, without: `"exitCode":0`,
		see: func(b *bench) string { b.script("say: " + strings.Repeat("word ", 1000)); return b.turn("go") },
	},
	"turn.instructions_bytes": {
		set: "0", shows: `^1 requests`, without: `obey the project`,
		see: func(b *bench) string {
			b.file("AGENTS.md", "You obey the project.\n")
			p := b.provider(0)
			b.turn("go")
			if text := p.asked(); !b.standard {
				return text
			}
			return strings.TrimPrefix(p.asked(), "1 requests")
		},
	},
	"turn.queue_length": {
		set: "0", shows: `^status 409`, without: `^it waits`,
		see: func(b *bench) string { return b.queue() },
	},
	"turn.queue_wait": {
		set: "100ms", shows: `^status 409.*TURN_IN_PROGRESS`, without: `^it waits`,
		see: func(b *bench) string { return b.queue() },
	},
	"turn.idempotency_ttl": {
		set: "0", shows: `^two turns`, without: `^one turn`,
		see: func(b *bench) string {
			s := b.serve()
			r := turnRequest{SessionID: s.session(), Message: "go"}
			id := func() string {
				_, id, _ := strings.Cut(s.ask("POST", "/api/harness/turn", r, "Idempotency-Key", "k"), `"turnId":"`)
				return strings.SplitN(id, `"`, 2)[0]
			}
			if first := id(); first == id() {
				return "one turn " + first
			}
			return "two turns"
		},
	},
}

// queue says what becomes of a turn that is queued behind one that takes long.
func (b *bench) queue() string {
	b.t.Helper()
	b.script("say: begun", "wait: 5m")
	s := b.serve()
	id := s.session()
	s.begin(id, "begun")
	body, _ := json.Marshal(turnRequest{SessionID: id, Message: "next", Opts: map[string]any{"onBusy": "queue"}})
	answer := make(chan string, 1)
	go func() {
		res, err := http.Post(s.url+"/api/harness/turn", "application/json", bytes.NewReader(body))
		if err != nil {
			answer <- err.Error()
			return
		}
		defer res.Body.Close()
		text, _ := io.ReadAll(res.Body)
		answer <- fmt.Sprintf("status %d\n%s", res.StatusCode, text)
	}()
	got := "it waits"
	s.settled(func() bool {
		select {
		case got = <-answer:
			return true
		default:
			return false
		}
	})
	return got
}

// retrying are the settings of further attempts, and those of the scripted provider.
var retrying = map[string]check{
	"retry.attempts": {
		set: "2", also: settings{"retry.base": "1ms"}, shows: `^2 requests`, without: `^3 requests`,
		see: func(b *bench) string { p := b.provider(9); b.turn("go"); return p.asked() },
	},
	"retry.base": {
		set: "7ms", shows: `trying again in [1-9]ms`, without: `trying again in [2-5]\d\dms`,
		see: func(b *bench) string { b.provider(1); return b.turn("go") },
	},
	"retry.max": {
		set: "110ms", also: settings{"retry.base": "100ms", "retry.attempts": "5"}, shows: `^([5-9]\d|10\d|110)ms`, without: `^([4-7]\d\d|800)ms`,
		see: func(b *bench) string {
			b.provider(4)
			text := b.turn("go")
			return text[strings.LastIndex(text, "trying again in ")+len("trying again in "):]
		},
	},
	"scripted.pace": {
		set: "1m", also: settings{"turn.stall_timeout": "5s"}, shows: `sent nothing for 5s`, without: `"exitCode":0`,
		see: func(b *bench) string {
			if b.standard {
				delete(b.settings, "scripted.pace")
			}
			return b.turn("two words")
		},
	},
	"scripted.script": {
		set: "'{other}/talk.yaml'", shows: `from the script`, without: `"text":"go"`,
		see: func(b *bench) string {
			b.file(b.other+"/talk.yaml", "turns: [{steps: [{say: from the script}]}]\n")
			return b.turn("go")
		},
	},
}
