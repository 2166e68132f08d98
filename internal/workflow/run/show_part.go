package run

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Part shortens the texts of the record of a task to most bytes each, for whoever looks at many
// tasks again and again. Cut names the fields of which something is left out: of a value that is
// no text, that is all of it. [Runner.Task] has them whole.
func (t *Task) Part(most int) {
	t.Cut = nil
	if len(t.Prompt) > most {
		t.Prompt, t.Cut = firstBytes(t.Prompt, most), append(t.Cut, "prompt")
	}
	for _, f := range []struct {
		name  string
		value *any
	}{{"item", &t.Item}, {"input", &t.Input}, {"answer", &t.Answer}, {"output", &t.Output}} {
		if size(*f.value) <= most {
			continue
		}
		t.Cut = append(t.Cut, f.name)
		text, ok := response(*f.value)
		switch s, isText := (*f.value).(string); {
		case isText:
			*f.value = firstBytes(s, most)
		case ok:
			*f.value = map[string]any{"response": firstBytes(text, most)}
		default:
			*f.value = nil
		}
	}
}

// Part shortens the record of a run for whoever looks at it again and again: the texts of its
// tasks as [Task.Part] does. Of its input and its outputs, one of more than values bytes is left
// out, and Cut names it.
func (r *Record) Part(texts, values int) {
	r.Cut = nil
	if size(r.Input) > values {
		r.Input, r.Cut = map[string]any{}, append(r.Cut, "input")
	}
	if size(r.Outputs) > values {
		r.Outputs, r.Cut = nil, append(r.Cut, "outputs")
	}
	for i := range r.Tasks {
		r.Tasks[i].Part(texts)
	}
}

// size is how many bytes a value takes as JSON.
func size(v any) int {
	if v == nil {
		return 0
	}
	data, _ := json.Marshal(v) // what is no JSON has no size, and no record
	return len(data)
}

// firstBytes is the beginning of a text, no character broken.
func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimSpace(s[:n]) + " …"
}
