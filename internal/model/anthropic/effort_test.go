package anthropic

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

// strictAboutEffort is a service whose haiku takes no effort and whose other models do not
// know the word max, and what it was sent.
func strictAboutEffort(t *testing.T) (url string, sent *[]string) {
	sent = &[]string{}
	return upstreamtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Model  string `json:"model"`
			Config struct {
				Effort string `json:"effort"`
			} `json:"output_config"`
		}
		raw, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(raw, &body); err != nil {
			t.Error(err)
		}
		*sent = append(*sent, body.Model+" "+body.Config.Effort)
		wrong := ""
		switch effort := body.Config.Effort; {
		case effort != "" && strings.Contains(body.Model, "haiku"):
			wrong = "This model does not support the effort parameter."
		case effort == "max":
			wrong = "output_config.effort: Input should be 'low', 'medium' or 'high'"
		}
		if wrong != "" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, errorBody("invalid_request_error", wrong))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, hello)
	}), sent
}

// A model without the setting is asked without it, files and all. The others keep it.
func TestEffortThatAModelDoesNotTake(t *testing.T) {
	t.Parallel()
	url, sent := strictAboutEffort(t)
	p := provider(t, url, func(o *Options) { o.Effort = "high" })
	var notices []string
	for _, name := range []string{"claude-sonnet-5", "claude-haiku-4-5", "claude-haiku-4-5", "claude-sonnet-5"} {
		r := model.Request{Model: name, Prompt: model.BlockPrompt{attachment.ImagePart{MIMEType: "image/png", Content: upstreamtest.Stored("x")}}}
		got, err := upstreamtest.Collect(p.Stream(t.Context(), r))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, c := range got {
			if n, ok := c.(model.Notice); ok {
				notices = append(notices, n.Message)
			}
		}
	}
	want := []string{"claude-sonnet-5 high", "claude-haiku-4-5 high", "claude-haiku-4-5 ", "claude-haiku-4-5 ", "claude-sonnet-5 high"}
	if diff := cmp.Diff(want, *sent); diff != "" {
		t.Errorf("sent (-want +got):\n%s", diff)
	}
	if len(notices) != 2 || notices[0] != notices[1] || !strings.Contains(notices[0], "claude-haiku-4-5") {
		t.Errorf("notices %q", notices)
	}
}

// A word that the model does not know is the person's to correct.
func TestEffortThatIsNoWordOfTheModel(t *testing.T) {
	t.Parallel()
	url, sent := strictAboutEffort(t)
	_, err := upstreamtest.Collect(provider(t, url, func(o *Options) { o.Effort = "max" }).Stream(t.Context(), ask("x")))
	if f := wants(t, err, 400, model.APIResponseError, false); !strings.Contains(f.Message, "Input should be") || len(*sent) != 1 {
		t.Errorf("%d requests, message %q", len(*sent), f.Message)
	}
}
