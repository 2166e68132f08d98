package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/attachment"
	"belay/internal/event"
)

// A transcript is decoded as encoding/json would decode it, also one that
// somebody edited.
func TestEntriesDecodeAsTheyDid(t *testing.T) {
	t.Parallel()
	code, cost := 1, 0.25
	at := Time{time.Date(2026, 3, 1, 12, 0, 0, 5e6, time.UTC)}
	item := attachment.Item{SHA256: "ab", Name: "a.png", MIMEType: "image/png", Bytes: 7, Width: 3}
	full := []Entry{
		{Kind: EntryTurn, Turn: "t", Time: at, Message: "a<b>&\u2028\"\\", Warning: "w", Attachments: []attachment.Item{item}, Idempotency: &Idempotency{"k", "d"}, Options: json.RawMessage(`{"maxTurns":3}`), After: -1, By: "x"},
		{Kind: EntryRequest, Turn: "t", Time: at, Manifest: &Manifest{Turn: "t", Time: at, Tools: []string{"read"}, Instructions: []Source{{Path: "p", Bytes: 1, Cut: true}}, History: History{Turns: 2, Attachments: []Delivered{{item, "whole", "cut"}}}}},
		{Kind: EntryAssistant, Turn: "t", Time: at, Model: "m", Partial: true, Agent: "call", Blocks: []Block{{Type: BlockToolCall, ID: "1", Name: "read", Input: json.RawMessage(`{"path":"é"}`)}, {Type: BlockThinking, Text: "x", Signature: "s", Redacted: "r"}}},
		{Kind: EntryTools, Turn: "t", Time: at, Blocks: []Block{{Type: BlockToolResult, ID: "1", Failed: true, Items: []attachment.Item{item}}}, Changes: []Change{{Call: "1", Path: "p", BeforeMode: fs.ModeDir | 0o755, AfterMode: 0o644, Folders: 1, Restored: true}}, Seen: []Sight{{Path: "p", First: 1, Last: 2, Total: 3}}},
		{Kind: EntrySummary, Turn: "t", Time: at, Summary: "s", Through: "r", Rounds: 2},
		{Kind: EntryInput, Turn: "t", Time: at, Mode: "queue", Input: "in"},
		{Kind: EntryEnd, Turn: "t", Time: at, StopReason: "end_turn", Error: "e", ExitCode: &code, Reserved: 1 << 40, Usage: &event.Tokens{InputTokens: 1, CostUSD: &cost}},
		{Kind: EntryUndo, Turn: "t", Time: at, Paths: []string{"p"}, By: "me"},
	}
	lines, err := encodeEntries(full)
	must(t, err)
	edited := []string{
		`{ "kind" : "turn", "turn": "t", "time": "2026-03-01T12:00:00.000Z", "unknown": [1, {"a": null}], "message": "spaces" }`,
		`{"turn":"t","kind":"turn","message":"one","message":"two"}`,
		`{"KIND":"turn","Turn":"t","message":null,"attachments":null,"exitCode":null}`,
		"{\"kind\":\"turn\",\"turn\":\"t\",\"message\":\"not \xff UTF-8\"}",
		`{"kind":"turn","turn":"t","after":"no number"}`,
		`{"kind":"turn","turn":"t"} and more`, `{"kind":"turn","turn":`, `[]`, `null`, ``, `{}`,
	}
	all := append(bytes.SplitAfter(bytes.TrimSuffix(lines, []byte("\n")), []byte("\n")), nil)
	for _, line := range edited {
		all = append(all, []byte(line))
	}
	for _, line := range all {
		line = append(bytes.TrimSuffix(line, []byte("\n")), '\n')
		var want Entry
		wrong := json.Unmarshal(line, &want)
		if wrong == nil && want.Kind == "" {
			wrong = os.ErrInvalid
		}
		got, err := parseEntry(line)
		if (err == nil) != (wrong == nil) {
			t.Errorf("%s: %v, with encoding/json %v", line, err, wrong)
			continue
		}
		if diff := cmp.Diff(want, got); wrong == nil && diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
}

func TestTurnEntries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.session().SessionID
	none, err := w.TurnEntries(t.Context(), id, "")
	if err != nil || len(none) != 0 {
		t.Errorf("of a session without turns: %v, %v", none, err)
	}
	request := func(turn, agent string) Entry {
		return Entry{Kind: EntryRequest, Turn: turn, Agent: agent, Manifest: &Manifest{Turn: turn, Model: "m"}}
	}
	l := acquire(t, w.Store, id)
	must(t, l.Append(
		Entry{Kind: EntryTurn, Turn: "t1"}, request("t1", ""), Entry{Kind: EntryEnd, Turn: "t1"},
		Entry{Kind: EntryTurn, Turn: "t2"}, request("t2", ""), request("t2", "call"), Entry{Kind: EntryEnd, Turn: "t2"},
		Entry{Kind: EntryUndo, Turn: "t1"}, Entry{Kind: EntryTurn, Turn: "t3"}, request("t3", "call"), // of a subagent alone
	))
	must(t, l.Release())
	kinds := func(turn string) string {
		t.Helper()
		entries, err := w.store().TurnEntries(t.Context(), id, turn)
		must(t, err)
		var s []string
		for _, e := range entries {
			s = append(s, e.Turn+" "+string(e.Kind)+e.Agent)
		}
		return strings.Join(s, ", ")
	}
	for turn, want := range map[string]string{
		"":   "t2 turn, t2 request, t2 requestcall, t2 end",
		"t1": "t1 turn, t1 request, t1 end, t1 undo",
		"t3": "t3 turn, t3 requestcall",
		"t":  "",
	} {
		if got := kinds(turn); got != want {
			t.Errorf("turn %q: %s, want %s", turn, got, want)
		}
	}
	// Anyone who edits a transcript need not write it as belay does.
	extend(t, filepath.Join(w.folder(id), "transcript.jsonl"),
		`{ "manifest": {"turn": "t\"4"}, "turn": "t\"4", "kind": "request" }`+"\n"+
			`{"kind":"end","turn":"t\"4"}`+"\n"+"garbage\n"+`{"kind":"request","turn":"t5","manifest":{`+"\n")
	if got, want := kinds(""), `t"4 request, t"4 end`; got != want {
		t.Errorf("after an edit: %s, want %s", got, want)
	}
	if _, err := w.TurnEntries(t.Context(), "sess_nobody", ""); err == nil {
		t.Error("an unknown session has entries")
	}
}

// Requests are the larger part of a transcript. No turn begins with decoding those
// of all earlier ones, and one manifest does not decode all others.
func TestRequestsAreNotDecoded(t *testing.T) {
	w := newWorld(t) // not parallel: it counts allocations
	id := w.session().SessionID
	tools := make([]string, 200)
	for i := range tools {
		tools[i] = fmt.Sprint("tool ", i)
	}
	const turns = 200
	l := acquire(t, w.Store, id)
	for i := range turns {
		name := fmt.Sprint("t", i)
		must(t, l.Append(
			Entry{Kind: EntryTurn, Turn: name, Message: "hello"}, Entry{Kind: EntryRequest, Turn: name, Manifest: &Manifest{Turn: name, Tools: tools}},
			Entry{Kind: EntryAssistant, Turn: name, Blocks: []Block{{Type: BlockText, Text: "hello"}}}, Entry{Kind: EntryEnd, Turn: name},
		))
	}
	must(t, l.Release())
	for what, look := range map[string]func(s *Store){
		"the lease": func(s *Store) { must(t, acquire(t, s, id).Release()) },
		"entries":   func(s *Store) { _, err := s.Entries(context.Background(), id); must(t, err) },
		"a record that is made again": func(s *Store) {
			file := filepath.Join(w.folder(id), "session.json")
			was := read(t, file)
			must(t, os.Remove(file))
			_, err := s.Get(context.Background(), id)
			must(t, err)
			must(t, os.WriteFile(file, was, 0o600))
		},
		"a manifest": func(s *Store) {
			entries, err := s.TurnEntries(context.Background(), id, "")
			must(t, err)
			if len(entries) != 4 {
				t.Errorf("the last turn has %d entries", len(entries))
			}
		},
	} {
		allocs := testing.AllocsPerRun(1, func() { look(w.store()) })
		if each := allocs / turns; each > 50 {
			t.Errorf("%s: %.0f allocations for each turn", what, each)
		}
	}
}

// A changed byte is noticed also where nothing is decoded.
func TestChangedRequestIsNoticed(t *testing.T) {
	t.Parallel()
	for name, look := range map[string]func(s *Store, id string) []string{
		"a lease": func(s *Store, id string) []string {
			l := acquire(t, s, id)
			defer func() { must(t, l.Release()) }()
			return l.Tampered()
		},
		"session show": func(s *Store, id string) []string {
			said, err := s.Upkeep.Verify(context.Background(), id)
			must(t, err)
			return said
		},
	} {
		w := newWorld(t)
		id := w.session().SessionID
		l := acquire(t, w.Store, id)
		must(t, l.Append(Entry{Kind: EntryTurn, Turn: "t1"}, Entry{Kind: EntryRequest, Turn: "t1", Manifest: &Manifest{Turn: "t1", Model: "old"}}, Entry{Kind: EntryEnd, Turn: "t1"}))
		must(t, l.Release())
		file := filepath.Join(w.folder(id), "transcript.jsonl")
		must(t, os.WriteFile(file, bytes.Replace(read(t, file), []byte(`"old"`), []byte(`"new"`), 1), 0o600))
		if said := look(w.store(), id); len(said) != 1 || !strings.Contains(said[0], "transcript.jsonl was changed") {
			t.Errorf("%s says %q", name, said)
		}
	}
}
