package settings

import (
	"strings"
)

// turning are the limits of a turn.
var turning = map[string]check{
	"turn.stall_timeout": {
		set: "200ms", shows: `the provider sent nothing for 200 ms \(turn.stall_timeout\)`, without: `the end.*"exitCode":0`,
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
		set: "0.1", also: settings{"prices": "{scripted: {input: 1, output: 1}}"},
		shows: `"stopReason":"budget"`, without: `the end.*"exitCode":0`,
		see: func(b *bench) string {
			b.script("usage: {input: 100000, output: 50000}", "call: {name: list}", "say: the end")
			return b.turn("go")
		},
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
}

// retrying are the settings of further attempts, and those of the scripted provider.
var retrying = map[string]check{
	"retry.attempts": {
		set: "2", shows: `^2 requests`, without: `^3 requests`,
		see: func(b *bench) string { p := b.provider(9); b.turn("go"); return p.asked() },
	},
	"retry.max": {
		set: "110ms", shows: `^([5-9]\d|10\d|110)ms`, without: `^([2-4]\d\d|500)ms`,
		see: func(b *bench) string {
			b.provider(1)
			text := b.turn("go")
			return text[strings.LastIndex(text, "trying again in ")+len("trying again in "):]
		},
	},
	"scripted.pace": {
		set: "1m", also: settings{"turn.stall_timeout": "5s"}, shows: `sent nothing for 5 s`, without: `"exitCode":0`,
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
