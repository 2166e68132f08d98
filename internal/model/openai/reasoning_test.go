package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/model/upstream/upstreamtest"
)

// thinker is a service whose model thinks and then calls a tool. It wants reasoning back
// with the messages that wanted names, and refuses a request without it.
type thinker struct {
	wants   func(message object) bool
	refusal string
	field   string // of its own reasoning
	seen    [][]string
}

func (s *thinker) serve(t *testing.T) string {
	return upstreamtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		var thoughts []string
		lacks := false
		for _, m := range decoded(t, raw)["messages"].([]any) {
			m := m.(object)
			if m["role"] != "assistant" {
				continue
			}
			thought, given := m["reasoning_content"].(string)
			if !given {
				thought = "-"
			}
			if m["content"] != seen { // the provider's own words
				thoughts = append(thoughts, thought)
			}
			lacks = lacks || s.wants(m) && !given
		}
		s.seen = append(s.seen, thoughts)
		if lacks {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_ = json.NewEncoder(w).Encode(object{"error": object{"message": s.refusal, "type": "invalid_request_error"}})
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, piece(`{"`+s.field+`":"Hm."}`)+toolCall(`"index":0,"id":"c","function":{"name":"look","arguments":"{}"}`)+ended("tool_calls")+done)
	})
}

func withCalls(m object) bool { return m["tool_calls"] != nil }

// later is a request of a second turn: the first one called a tool, and its reasoning is
// not kept. The second has called one as well.
func later() model.Request {
	r := ask("x")
	said := func(role model.Role, c ...model.Content) {
		r.History = append(r.History, model.Message{Role: role, Content: c})
	}
	output := func(id string) model.Content {
		return model.ToolOutput{CallID: id, Parts: []attachment.Part{attachment.TextPart{Text: "seen"}}}
	}
	said(model.User, model.Text{Text: "look"})
	said(model.Assistant, model.ToolCall{ID: "a", Name: "look"})
	said(model.User, output("a"))
	said(model.Assistant, model.Text{Text: "I have looked."})
	said(model.User, model.Text{Text: "again"})
	said(model.Assistant, model.Thinking{Text: "once more"}, model.ToolCall{ID: "b", Name: "look"})
	said(model.User, output("b"), model.Text{Text: "hurry"})
	r.Prompt = nil
	return r
}

// A service that wants reasoning back gets it, of earlier turns too and after a restart,
// at the cost of one refused request.
func TestReasoningThatAServiceWantsBack(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		thinker
		restarted, known [][]string // what the service gets
	}{
		"Moonshot": {
			thinker{withCalls, "thinking is enabled but reasoning_content is missing in assistant tool call message at index 1", "reasoning_content", nil},
			[][]string{{"-", "-", "-"}, {" ", " ", "once more"}, {" ", " ", "once more"}},
			[][]string{{}, {" ", "-", "once more"}},
		},
		"DeepSeek": {
			thinker{withCalls, "Missing `reasoning_content` field in the assistant message at message index 2.", "reasoning_content", nil},
			[][]string{{"-", "-", "-"}, {" ", " ", "once more"}, {" ", " ", "once more"}},
			[][]string{{}, {" ", "-", "once more"}},
		},
		"DeepSeek, which wants all": {
			thinker{func(object) bool { return true }, "The `reasoning_content` in the thinking mode must be passed back to the API.", "reasoning_content", nil},
			[][]string{{"-", "-", "-"}, {" ", " ", "once more"}, {" ", " ", "once more"}},
			[][]string{{}, {" ", "-", "once more"}, {" ", " ", "once more"}},
		},
		"DeepSeek behind a gateway": {
			thinker{withCalls, "The `reasoning_content` in the thinking mode must be passed back to the API.", "reasoning", nil},
			[][]string{{"-", "-", "-"}, {" ", " ", "once more"}, {" ", " ", "once more"}},
			[][]string{{}, {"-", "-", "-"}, {" ", " ", "once more"}},
		},
		"one that wants none": {
			thinker{func(object) bool { return false }, "", "reasoning", nil},
			[][]string{{"-", "-", "-"}, {"-", "-", "-"}},
			[][]string{{}, {"-", "-", "-"}},
		},
	} {
		for began, want := range map[string][][]string{"restarted": tt.restarted, "known": tt.known} {
			s := tt.thinker
			p := provider(t, s.serve(t))
			requests := []model.Request{later(), later()}
			if began == "known" {
				requests[0] = ask("look")
			}
			for _, r := range requests {
				if _, err := upstreamtest.Collect(p.Stream(t.Context(), r)); err != nil {
					t.Errorf("%s, %s: %v", name, began, err)
				}
			}
			for i := range s.seen {
				s.seen[i] = append([]string{}, s.seen[i]...)
			}
			if diff := cmp.Diff(want, s.seen); diff != "" {
				t.Errorf("%s, %s: reasoning that it got (-want +got):\n%s", name, began, diff)
			}
		}
	}
}

// Gemini wants the signature of its thoughts back with the call. Another model and OpenAI
// itself get no field that they do not know.
func TestSignaturesOfCallsGoBack(t *testing.T) {
	t.Parallel()
	const extra = `{"google":{"thought_signature":"c2ln+/="}}`
	var last string
	url := upstreamtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		last = string(raw)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, toolCall(`"index":0,"id":"a","function":{"name":"look","arguments":"{}"},"extra_content":`+extra)+
			toolCall(`"index":1,"id":"b","function":{"name":"look","arguments":"{}"}`)+ended("tool_calls")+done)
	})
	r := ask("look")
	r.Model = "gemini-3-pro"
	got, err := upstreamtest.Collect(provider(t, url).Stream(t.Context(), r))
	if err != nil {
		t.Fatal(err)
	}
	var calls, results []model.Content
	for _, c := range got {
		if b, ok := c.(model.Block); ok {
			calls = append(calls, b.Content)
			results = append(results, model.ToolOutput{CallID: b.Content.(model.ToolCall).ID})
		}
	}
	r.History = append(r.Messages(), model.Message{Role: model.Assistant, Content: calls}, model.Message{Role: model.User, Content: results})
	r.Prompt = nil
	for _, tt := range []struct {
		model string
		own   bool
		want  int
	}{{"gemini-3-pro", false, 1}, {"gemini-3-flash", false, 0}, {"gemini-3-pro", true, 0}} {
		r.Model = tt.model
		if _, err := upstreamtest.Collect(asOwn(t, url, tt.own, "").Stream(t.Context(), r)); err != nil {
			t.Error(err)
		}
		if n := strings.Count(last, `"extra_content":`+extra); n != tt.want || strings.Count(last, "extra_content") != tt.want {
			t.Errorf("%+v: %d signatures went back in %s", tt, n, last)
		}
	}
}
