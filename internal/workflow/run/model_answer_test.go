package run_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
	"belay/internal/turn"
	"belay/internal/workflow/run"
)

const judged = `id: flow
agents:
  - id: a
    instructions: x
    actions:
      - {id: judge, prompt: judge, output: {type: object, required: [ok], properties: {ok: {type: boolean}, n: {type: integer}}, additionalProperties: false}}
tasks: [{id: t, agent: a, action: judge}]
outputs: {t: "{{ .tasks.t.output }}"}
`

// An answer that is to be JSON is found in whatever a model says around it, held
// against the schema, and asked for once more where it does not fit.
//
// Covers: attachments 6
func TestAnswers(t *testing.T) {
	t.Parallel()
	ok := map[string]any{"ok": true}
	tests := map[string]struct {
		said []string
		want any // nil: it fails
	}{
		"as it should be":     {[]string{`{"ok": true}`}, ok},
		"a big number":        {[]string{`{"ok": true, "n": 12345678901}`}, map[string]any{"ok": true, "n": int64(12345678901)}},
		"a huge number":       {[]string{`{"ok": true, "n": 12345678901234567890}`, `{"ok": true}`}, ok},
		"huge in prose":       {[]string{`It is {"ok": true, "n": 12345678901234567890}.`, `{"ok": true}`}, ok},
		"in a fence":          {[]string{"Here:\n```json\n{\"ok\": true}\n```\nDone."}, ok},
		"a fence, one line":   {[]string{"```{\"ok\": true}```"}, ok},
		"in prose":            {[]string{`I say {"ok": true}, and {"ok": false}.`}, ok},
		"behind what is none": {[]string{`The set {a, b} [1] {"no": 1} is {"ok": true}`}, ok},
		"in a string":         {[]string{`It is {"ok": true, "n": 1} and "}"`}, map[string]any{"ok": true, "n": int64(1)}},
		"repaired":            {[]string{"no", `{"ok": true}`}, ok},
		"repaired in form":    {[]string{`{"ok": "yes"}`, `{"ok": true}`}, ok},
		"never":               {[]string{"no", "no"}, nil},
		"never in form":       {[]string{`{"ok": 1}`, `{"ok": 2}`}, nil},
		"cut off":             {[]string{`{"ok": tr`, `{"ok"`}, nil},
		"empty":               {[]string{"", ""}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 0
			b := newBench(t, judged, func(turn.Request) reply { n++; return reply{text: tt.said[n-1]} })
			r := b.run(nil)
			if tt.want == nil {
				if r.Status != run.Failed || r.Error.Type != fault.AnswerInvalid {
					t.Errorf("%s %+v", r.Status, r.Error)
				}
			} else if diff := cmp.Diff(tt.want, r.Outputs["t"]); diff != "" {
				t.Errorf("%+v (-want +got):\n%s", r.Error, diff)
			}
			if n != len(tt.said) {
				t.Errorf("asked %d times", n)
			}
			first := b.e.requests[0].Message
			if !strings.HasPrefix(first, "judge\n\nAnswer with one JSON value") || !strings.Contains(first, `"additionalProperties": false`) {
				t.Errorf("the model was told: %s", first)
			}
			if k := task(t, r, "t"); k.Attempts[0].Repaired != (len(tt.said) > 1) || len(k.Attempts) != 1 || len(k.Attempts[0].Turns) != n {
				t.Errorf("%+v", k.Attempts)
			}
			if n > 1 && (b.e.requests[1].SessionID != b.e.requests[0].SessionID || !strings.HasPrefix(b.e.requests[1].Message, "Your answer cannot be used:")) {
				t.Errorf("asked again in %s: %s", b.e.requests[1].SessionID, b.e.requests[1].Message)
			}
		})
	}
}

// Whatever prose a value stands in, it is found; whatever a model says, reading it
// ends, and what it gives fits the schema.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{"", "{", "[[[[[", `{"ok":true}`, "```json\n{}\n```", `text {"ok":false} more`, "``` ``` ```", `{"a":{"b":[1,2,{"c":`} {
		f.Add(s, "tail")
	}
	schema := run.SchemaForTest(f, `{"type":"object","required":["ok"],"properties":{"ok":{"type":"boolean"}}}`)
	f.Fuzz(func(t *testing.T, before, behind string) {
		v, problems := run.ReadForTest(before+behind, schema)
		if problems == nil && schema.Check(v) != nil {
			t.Errorf("%q gave %v", before, v)
		}
		if strings.ContainsAny(before, "{[`\"") || len(before) > 1000 {
			return
		}
		text := fmt.Sprintf("%s\n```json\n%s\n```\n%s", before, `{"ok": true, "why": "a } brace"}`, strings.ReplaceAll(behind, "`", ""))
		v, problems = run.ReadForTest(text, schema)
		got, err := json.Marshal(v)
		if problems != nil || err != nil || string(got) != `{"ok":true,"why":"a } brace"}` {
			t.Errorf("%q gave %s, %v", text, got, problems)
		}
	})
}
