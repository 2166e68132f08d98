package scripted_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/attachment"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/scripted"
)

func parse(t testing.TB, text string) *scripted.Script {
	t.Helper()
	s, err := scripted.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const conversation = `
turns:
  - when: weather
    steps:
      - think: I should look.
      - say: Let me look.
      - call: {name: read, input: {path: a & <b>.txt, lines: [1, 2]}}
      - call: {name: list, id: mine}
      - say: It rains.
      - usage: {input: 10, output: 5, cache_read: 3, cache_write: 2}
  - steps:
      - say: First.
  - steps:
      - say: Second.
      - stop: refusal
`

// Covers: turn-api REQ-02
func TestPlaysAToolUsingTurn(t *testing.T) {
	t.Parallel()
	p := scripted.New(scripted.Options{Script: parse(t, conversation)})
	r := ask("how is the weather?")
	got, err := collect(p.Stream(t.Context(), r))
	if err != nil {
		t.Fatal(err)
	}
	read := model.ToolCall{ID: "call_1_3", Name: "read", Input: json.RawMessage(`{"lines":[1,2],"path":"a & <b>.txt"}`)}
	list := model.ToolCall{ID: "mine", Name: "list", Input: json.RawMessage(`{}`)}
	want := []model.Chunk{
		model.ThinkingDelta{Text: "I should look."},
		model.Block{Content: model.Thinking{Text: "I should look.", Signature: "scripted"}},
		model.TextDelta{Text: "Let me look."},
		model.Block{Content: model.Text{Text: "Let me look."}},
		model.Block{Content: read},
		model.Block{Content: list},
		model.Usage{InputTokens: 5, OutputTokens: 17},
		model.Stop{Reason: model.StopToolUse},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("first call (-want +got):\n%s", diff)
	}

	r.History = append(r.Messages(),
		model.Message{Role: model.Assistant, Content: []model.Content{read, list}},
		model.Message{Role: model.User, Content: []model.Content{model.ToolOutput{CallID: read.ID}, model.ToolOutput{CallID: list.ID}}})
	r.Prompt = nil
	got, err = collect(p.Stream(t.Context(), r))
	if err != nil {
		t.Fatal(err)
	}
	want = []model.Chunk{
		model.TextDelta{Text: "It rains."},
		model.Block{Content: model.Text{Text: "It rains."}},
		model.Usage{InputTokens: 10, OutputTokens: 5, CacheReadTokens: 3, CacheWriteTokens: 2},
		model.Stop{Reason: model.StopEndTurn},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("second call (-want +got):\n%s", diff)
	}
}

// Where the beginning of a turn was left out to fit the model, the script goes on
// all the same, with ids that it has not given yet, and what is said of the part
// that is missing decides nothing.
func TestScriptTellsWhatItReceived(t *testing.T) {
	t.Parallel()
	s, err := scripted.Parse("s.yaml", []byte("turns: [{steps: [{say: 'Shown: {received}'}]}, {steps: [{say: 'Shown: {received}'}]}]"))
	if err != nil {
		t.Fatal(err)
	}
	for want, parts := range map[string][]attachment.Part{
		"Shown: - Received no files.": nil,
		"Shown: - Received image \"a.png\": image/png, 10 bytes, 4 x 3 pixels.\n- Received text \"b.csv\": text/csv, 5 bytes.": {
			attachment.ImagePart{Name: "a.png", MIMEType: "image/png", Width: 4, Height: 3, Content: sized(10)},
			attachment.TextDocumentPart{Name: "b.csv", MIMEType: "text/csv", Content: sized(5)},
		},
	} {
		r := model.Request{Model: sonnet, Prompt: model.NewPrompt("", "look", parts)}
		got, err := collect(scripted.New(scripted.Options{Script: s}).Stream(t.Context(), r))
		if err != nil || heard(got) != want {
			t.Errorf("heard %q, %v; want %q", heard(got), err, want)
		}
	}
}

func TestGoesOnBehindWhatWasLeftOut(t *testing.T) {
	t.Parallel()
	p := scripted.New(scripted.Options{Script: parse(t, `
turns:
  - when: weather
    steps: [{say: Wrong.}]
  - when: walk
    steps: [{call: {name: a}}, {say: "on"}, {call: {name: b}}, {say: further}, {call: {name: c}}]
`)})
	r := ask("walk")
	r.Folded = 1
	asked := model.Message{Role: model.User, Content: append(r.Messages()[0].Content, model.Text{Text: "[1 answer left out] The weather was looked at."})}
	b := model.ToolCall{ID: "call_3_2", Name: "b"}
	r.History, r.Prompt = []model.Message{
		asked,
		{Role: model.Assistant, Content: []model.Content{b}},
		{Role: model.User, Content: []model.Content{model.ToolOutput{CallID: b.ID}}},
	}, nil
	got, err := collect(p.Stream(t.Context(), r))
	if err != nil {
		t.Fatal(err)
	}
	want := model.Block{Content: model.ToolCall{ID: "call_5_2", Name: "c", Input: json.RawMessage(`{}`)}}
	if len(got) < 3 || !cmp.Equal(got[2], model.Chunk(want)) {
		t.Errorf("the third call is %+v, want %+v in it", got, want)
	}
}

func TestTurnsInOrderAndByText(t *testing.T) {
	t.Parallel()
	script := parse(t, conversation)
	var history []model.Message
	for _, tt := range []struct{ words, heard string }{
		{"one", "First."},
		{"the weather again", "Let me look."}, // does not use up a turn
		{"two", "Second."},
		{"three", "three"}, // nothing left: the words come back
	} {
		// A new provider each time: where the script is follows from the history.
		p := scripted.New(scripted.Options{Script: script})
		r := ask(tt.words)
		r.History = history
		got, err := collect(p.Stream(t.Context(), r))
		if err != nil || heard(got) != tt.heard {
			t.Errorf("%q: heard %q, %v; want %q", tt.words, heard(got), err, tt.heard)
		}
		history = append(r.Messages(), model.Message{Role: model.Assistant, Content: []model.Content{model.Text{Text: "-"}}})
	}
}

func TestScriptedFailures(t *testing.T) {
	t.Parallel()
	tests := []struct {
		step      string
		status    int
		category  string
		transient bool
	}{
		{"{type: overloaded_error}", 529, "API_RESPONSE_ERROR", true},
		{"{type: rate_limit_error, message: slow}", 429, "RATE_LIMITED", true},
		{"{status: 401}", 401, "INVALID_API_KEY", false},
		{"{type: network}", 503, "NETWORK_ERROR", true},
		{"{type: timeout}", 504, "REQUEST_TIMEOUT", false},
	}
	for _, tt := range tests {
		p := scripted.New(scripted.Options{Script: parse(t, "turns: [{steps: [{fail: "+tt.step+"}]}]")})
		_, err := collect(p.Stream(t.Context(), ask("x")))
		f := fault.From(err)
		var transient *model.TransientError
		if f == nil || f.Status != tt.status || f.Details["category"] != tt.category || errors.As(err, &transient) != tt.transient {
			t.Errorf("%s gives %+v, want %d %s transient=%v", tt.step, f, tt.status, tt.category, tt.transient)
		}
	}
	p := scripted.New(scripted.Options{Script: parse(t, "turns: [{steps: [{say: half}, {fail: {type: truncated}}]}]")})
	got, err := collect(p.Stream(t.Context(), ask("x")))
	if err != nil || lastStop(got) != "" || heard(got) != "half" {
		t.Errorf("a truncated answer gives %v, %v", got, err)
	}
}

func TestScriptedPanic(t *testing.T) {
	t.Parallel()
	p := scripted.New(scripted.Options{Script: parse(t, "turns: [{steps: [{panic: oops}]}]")})
	defer func() {
		if v := recover(); v != "oops" {
			t.Errorf("recovered %v", v)
		}
	}()
	_, _ = collect(p.Stream(t.Context(), ask("x")))
	t.Error("no panic")
}

func TestScriptProblemsAreAllListed(t *testing.T) {
	t.Parallel()
	const bad = `turns:
  - when: ""
    steps:
      - say: a
        think: b
      - sing: c
      - call: {input: [1]}
      - usage: {input: many, shoes: 2}
  - steps: []
  - steps:
      - wait: soon
      - stop: never
      - fail: {type: Bad Type, status: 200}
extra: 1
`
	_, err := scripted.Parse("bad.yaml", []byte(bad))
	var all *scripted.ScriptError
	if !errors.As(err, &all) {
		t.Fatalf("got %v", err)
	}
	var lines []string
	for _, p := range all.Problems {
		line, _, _ := strings.Cut(p, ":")
		lines = append(lines, line)
	}
	want := []string{
		"line 2", "line 4", "line 6", "line 7", "line 7", "line 8", "line 8", "line 9",
		"line 11", "line 12", "line 13", "line 13", "line 14",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("lines of %q (-want +got):\n%s", all.Problems, diff)
	}
}

func TestScriptThatIsNoYAML(t *testing.T) {
	t.Parallel()
	_, err := scripted.Parse("x", []byte("turns:\n  - steps:\n      - say: a\n     - say: b\n"))
	if err == nil || !strings.Contains(err.Error(), "script x: line 4: it is not valid YAML") {
		t.Errorf("%v", err)
	}
}

func TestScriptsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "turns", "turns: 1", "- a", "turns: []", "turns: [", "a: &a [*a]", strings.Repeat(" ", 1<<20+1)} {
		if s, err := scripted.Parse("x", []byte(text)); err == nil {
			t.Errorf("%.20q was accepted: %+v", text, s)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(conversation))
	f.Add([]byte("turns: [{steps: [{wait: 1ms}, {say: x}]}]"))
	f.Add([]byte("turns: [{steps: [{call: {name: a, input: {b: 1}}}]}]"))
	f.Add([]byte("turns: [{when: a, steps: [{usage: {input: 1}}]}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := scripted.Parse("fuzz", data)
		if err != nil {
			var all *scripted.ScriptError
			if !errors.As(err, &all) || len(all.Problems) == 0 {
				t.Fatalf("an error without problems: %v", err)
			}
			return
		}
		// A script that was accepted gives an answer that ends, or one of the
		// failures that it asks for, in any conversation.
		p := scripted.New(scripted.Options{Script: s, Sleep: noSleep})
		defer func() { _ = recover() }() // a panic step is allowed to
		chunks, err := collect(p.Stream(t.Context(), ask("words")))
		if err == nil && lastStop(chunks) == "" && !strings.Contains(string(data), "truncated") {
			t.Fatalf("the answer does not end: %v", chunks)
		}
		for _, c := range chunks {
			b, ok := c.(model.Block)
			if !ok {
				continue
			}
			if call, ok := b.Content.(model.ToolCall); ok && (call.ID == "" || call.Name == "" || !json.Valid(call.Input)) {
				t.Fatalf("a call that no tool can take: %+v", call)
			}
		}
	})
}

func noSleep(context.Context, time.Duration) error { return nil }
