package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/model"
	"belay/internal/model/upstream"
	"belay/internal/model/upstream/upstreamtest"
)

// effortRefusal is what OpenAI's chat completions have against an effort.
func effortRefusal(name string, effort *string, tools bool) (message, code string) {
	const notBeside = "Function tools with reasoning_effort are not supported for %s in /v1/chat/completions. "
	major, minor, _ := gptVersion(name)
	switch version := major*100 + minor; {
	case major < 5 && effort != nil:
		return "Unrecognized request argument supplied: reasoning_effort", ""
	case effort != nil && *effort == "minimal" && version > 500:
		return "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported values are: 'none', 'low', 'medium', 'high', 'xhigh'.", "unsupported_value"
	case tools && version >= 506 && (effort == nil || *effort != "none"):
		return fmt.Sprintf(notBeside, name) + "To use function tools, use /v1/responses or set reasoning_effort to 'none'.", ""
	case tools && version >= 504 && version < 506 && effort != nil:
		return fmt.Sprintf(notBeside, name) + "Please use /v1/responses instead.", ""
	}
	return "", ""
}

// strictAboutEffort is a service with those rules, and the efforts that it was sent.
func strictAboutEffort(t *testing.T) (url string, sent *[]string) {
	sent = &[]string{}
	return upstreamtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model  string          `json:"model"`
			Effort *string         `json:"reasoning_effort"`
			Tools  json.RawMessage `json:"tools"`
		}
		raw, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(raw, &body); err != nil {
			t.Error(err)
		}
		effort := "-"
		if body.Effort != nil {
			effort = *body.Effort
		}
		*sent = append(*sent, effort)
		if message, code := effortRefusal(body.Model, body.Effort, body.Tools != nil); message != "" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_ = json.NewEncoder(w).Encode(object{"error": object{"message": message, "type": "invalid_request_error", "param": "reasoning_effort", "code": code}})
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, hello)
	}), sent
}

// asOwn is a provider that takes the service at url for OpenAI's own host, or not.
func asOwn(t *testing.T, url string, own bool, effort string) *upstream.Provider {
	t.Helper()
	o := Options{Options: upstream.Options{BaseURL: url, Effort: effort}}
	p, err := upstream.New(service, o.Options, func(e upstream.Endpoint, c *http.Client) upstream.Protocol {
		made := o.newProtocol(e, c).(*protocol)
		made.own = own
		return made
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// An effort that a model does not take costs at most one refused request, and a person who
// has set one gets a notice.
func TestEffortThatAModelDoesNotTake(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		model, effort string
		tools         bool
		own, other    string // what two calls send
		told          bool
	}{
		{"gpt-5-mini", "low", true, "low low", "low low", false},
		{"gpt-5-mini", "", true, "- -", "- -", false},
		{"gpt-5.4", "high", true, "- -", "high - -", true},
		{"gpt-5.4", "high", false, "high high", "high high", false},
		{"gpt-5.5-2026-04-01", "", true, "- -", "- -", false},
		{"gpt-5.6-terra", "high", true, "none none", "high none none", true},
		{"gpt-5.6-terra", "", true, "none none", "- none none", false},
		{"gpt-5.6-terra", "none", true, "none none", "none none", false},
		{"gpt-5.6", "high", false, "high high", "high high", false},
		{"gpt-7", "low", true, "none none", "low none none", true},
		{"gpt-4.1", "high", true, "high - -", "high - -", true},
	} {
		for _, own := range []bool{true, false} {
			url, sent := strictAboutEffort(t)
			p := asOwn(t, url, own, tt.effort)
			r := ask("x")
			if r.Model = tt.model; tt.tools {
				r.Tools = []model.ToolSpec{{Name: "read"}}
			}
			var notices []model.Notice
			for range 2 {
				got, err := upstreamtest.Collect(p.Stream(t.Context(), r))
				if err != nil {
					t.Errorf("%+v, own host %v: %v", tt, own, err)
				}
				for _, c := range got {
					if n, ok := c.(model.Notice); ok {
						notices = append(notices, n)
					}
				}
			}
			want := tt.other
			if own {
				want = tt.own
			}
			if got := strings.Join(*sent, " "); got != want {
				t.Errorf("%+v, own host %v: sent %s, want %s", tt, own, got, want)
			}
			if told := len(notices) > 0; told != tt.told || told && (notices[0] != notices[1] || !strings.Contains(notices[0].Message, tt.model)) {
				t.Errorf("%+v, own host %v: notices %v", tt, own, notices)
			}
		}
	}
}

// A word that the model does not know is the person's to correct.
func TestEffortThatIsNoWordOfTheModel(t *testing.T) {
	t.Parallel()
	url, sent := strictAboutEffort(t)
	r := ask("x")
	r.Model = "gpt-5.2"
	_, err := upstreamtest.Collect(asOwn(t, url, true, "minimal").Stream(t.Context(), r))
	if f := wants(t, err, 400, model.APIResponseError, false); !strings.Contains(f.Message, "Supported values") {
		t.Errorf("message %q", f.Message)
	}
	if diff := cmp.Diff([]string{"minimal"}, *sent); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
}
