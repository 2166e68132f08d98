package openai

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/upstream/upstreamtest"
)

// Covers: turn-api REQ-12, REQ-13
func TestErrorAnswers(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := []struct {
		name      string
		status    int
		header    http.Header
		body      string
		want      int
		category  model.Category
		transient bool
		after     time.Duration
		message   string
		hint      string
	}{
		{"wrong key", 401, nil, `{"error":{"message":"Incorrect API key provided.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`,
			401, model.InvalidAPIKey, false, 0, "Incorrect API key", "OPENAI_API_KEY"},
		{"no such model", 404, nil, `{"error":{"message":"The model 'x' does not exist","type":"invalid_request_error","code":"model_not_found"}}`,
			404, model.APIResponseError, false, 0, "does not exist", "--model"},
		{"no such model, Ollama", 404, nil, `{"error":{"message":"model \"x\" not found, try pulling it first","type":"not_found_error","param":null,"code":null}}`,
			404, model.APIResponseError, false, 0, "try pulling", "ollama pull"},
		{"no such model, vLLM", 404, nil, `{"object":"error","message":"The model x does not exist.","type":"NotFoundError","param":null,"code":404}`,
			404, model.APIResponseError, false, 0, "The model x", "--model"},
		{"too many", 429, http.Header{"Retry-After": {"7"}}, `{"error":{"message":"slow","type":"requests","code":"rate_limit_exceeded"}}`,
			429, model.RateLimited, true, 7 * time.Second, "slow", ""},
		{"too many until a date", 429, http.Header{"Retry-After": {now.Add(90 * time.Second).Format(http.TimeFormat)}}, "",
			429, model.RateLimited, true, 90 * time.Second, "", ""},
		{"no credit", 429, nil, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`,
			429, model.RateLimited, false, 0, "quota", "billing"},
		{"failing", 500, nil, `{"error":{"message":"oops","type":"server_error"}}`, 500, model.APIResponseError, true, 0, "oops", ""},
		{"loading", 503, nil, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, 503, model.APIResponseError, true, 0, "Loading", ""},
		{"only a text", 400, nil, `{"error":"no tools for this model"}`, 400, model.APIResponseError, false, 0, "no tools", ""},
		{"Gemini", 400, nil, `[{"error":{"code":400,"message":"Function call is missing a thought_signature.","status":"INVALID_ARGUMENT"}}]`,
			400, model.APIResponseError, false, 0, "thought_signature", ""},
		{"an empty array", 400, nil, `[]`, 400, model.APIResponseError, false, 0, "error", ""},
		{"FastAPI, with the request", 422, nil, `{"detail":[{"msg":"bad","input":"` + strings.Repeat("x", 100<<10) + `"}]}`, 422, model.APIResponseError, false, 0, "bad", ""},
		{"a name and a message", 400, nil, `{"error":"Bad Request","message":"no such speed"}`, 400, model.APIResponseError, false, 0, "no such speed", ""},
		{"an error that is true", 400, nil, `{"error":true,"message":"no such speed"}`, 400, model.APIResponseError, false, 0, "no such speed", ""},
		{"FastAPI", 422, nil, `{"detail":[{"loc":["body"],"msg":"bad"}]}`, 422, model.APIResponseError, false, 0, "bad", ""},
		{"a list of errors", 400, nil, `{"message":5,"error":null,"errors":[{"message":"no such voice"}]}`, 400, model.APIResponseError, false, 0, "no such voice", ""},
		{"a message in parts", 400, nil, `{"error":{"type":7,"message":{"reason":"no such voice"}}}`, 400, model.APIResponseError, false, 0, "no such voice", ""},
		{"overloaded, with a status of success", 200, http.Header{"Content-Type": {"application/json"}}, `{"error":{"message":"overloaded"}}`,
			502, model.StreamInvalid, true, 0, `the answer is "application/json" instead of an event stream: overloaded`, ""},
		{"a whole answer", 200, http.Header{"Content-Type": {"application/json"}}, `{"choices":[],"message":{"content":"secret"}}`,
			502, model.StreamInvalid, true, 0, `instead of an event stream`, ""},
		{"a gateway's page", 502, nil, "<html>" + strings.Repeat("x", 1<<20), 502, model.APIResponseError, true, 0, "error", ""},
		{"nothing", 500, nil, "", 500, model.APIResponseError, true, 0, "error", ""},
		{"a redirect", 307, http.Header{"Location": {"https://example.com/"}}, "", 400, model.NetworkPolicyViolation, false, 0, "policy", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := provider(t, upstreamtest.Answering(t, tt.status, tt.header, tt.body), func(o *Options) { o.Now = func() time.Time { return now } })
			_, err := upstreamtest.Collect(p.Stream(t.Context(), ask("x")))
			f := wants(t, err, tt.want, tt.category, tt.transient)
			if !strings.Contains(f.Message, tt.message) || f.Message == "" || len(f.Message) > 700 {
				t.Errorf("message %q, want %q in it", f.Message, tt.message)
			}
			if !strings.Contains(f.NextStep(), tt.hint) {
				t.Errorf("next step %q, want %q in it", f.NextStep(), tt.hint)
			}
			if transient, ok := errors.AsType[*model.TransientError](err); ok && transient.After != tt.after {
				t.Errorf("asked to wait %v, want %v", transient.After, tt.after)
			}
		})
	}
}

// A request over the context is what makes a turn believe the provider's count.
func TestTooLong(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"OpenAI":    `{"error":{"message":"Your input exceeds the context window of this model.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
		"vLLM":      `{"error":{"message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion).","type":"BadRequestError","param":null,"code":400}}`,
		"Moonshot":  `{"error":{"message":"Invalid request: Your request exceeded model token limit: 262144 (requested: 270000)","type":"invalid_request_error"}}`,
		"Gemini":    `[{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`,
		"xAI":       `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}`,
		"llama.cpp": `{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`,
	} {
		for where, url := range map[string]string{"before": upstreamtest.Answering(t, 400, nil, body), "in the stream": upstreamtest.Streaming(t, sse(body))} {
			if where == "in the stream" && body[0] == '[' {
				continue // before a stream alone
			}
			_, err := upstreamtest.Collect(provider(t, url).Stream(t.Context(), ask("x")))
			f := wants(t, err, 400, model.APIResponseError, false)
			var long *model.TooLongError
			if !errors.As(err, &long) || f.Message == "" || !strings.Contains(f.Hint, "openai.context_tokens") {
				t.Errorf("%s, %s: %v, hint %q", name, where, err, f.Hint)
			}
		}
	}
}

// Covers: turn-api REQ-13
func TestReady(t *testing.T) {
	t.Parallel()
	local := upstreamtest.Serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a call was made") })
	key := func(k string) func(*Options) { return func(o *Options) { o.Key = func() string { return k } } }
	tests := []struct {
		name, url string
		change    func(*Options)
		kind      fault.Type
		category  model.Category
	}{
		{"OpenAI with a key", "", key("sk-fine"), "", ""},
		{"OpenAI without", "", key(" "), fault.MissingAPIKey, model.MissingAPIKey},
		{"a local server without", local, key(""), "", ""},
		{"a local server with a key that no header has", local, key("sk-\nX-Evil: 1"), fault.SDKFailure, model.InvalidAPIKey},
		{"an allowed host without", "https://vllm.example:8443/v1", func(o *Options) { o.Key, o.AllowedHosts = nil, []string{"vllm.example:8443"} }, "", ""},
		{"a host that is not", "https://vllm.example/v1", key("sk-fine"), fault.SDKFailure, model.NetworkPolicyViolation},
		{"plain http elsewhere", "http://vllm.example/v1", func(o *Options) { o.AllowedHosts = []string{"vllm.example:80"} }, fault.SDKFailure, model.NetworkPolicyViolation},
	}
	for _, tt := range tests {
		p := provider(t, tt.url, tt.change)
		for what, err := range map[string]error{"Ready": p.Ready(), "Bootstrap": p.Bootstrap(t.Context(), ask("bootstrap"), false)} {
			f := fault.From(err)
			switch {
			case tt.kind == "" && err != nil:
				t.Errorf("%s, %s: %v", tt.name, what, err)
			case tt.kind != "" && (f == nil || f.Type != tt.kind || f.Details["category"] != string(tt.category) || f.Details["provider"] != Name):
				t.Errorf("%s, %s: %+v, want %s %s", tt.name, what, f, tt.kind, tt.category)
			}
		}
	}
	if f := fault.From(provider(t, "", key("")).Ready()); !strings.Contains(f.NextStep(), "OPENAI_API_KEY") {
		t.Errorf("without a key the next step is %q", f.NextStep())
	}
}

// The reason of a failure is said also where the connection stays open.
func TestReasonOnAnOpenConnection(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
		url := upstreamtest.Serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"error":{"message":"no capacity"}}`)
			_ = http.NewResponseController(w).Flush() // the caller may have left
			<-r.Context().Done()
		})
		_, err := upstreamtest.Collect(provider(t, url).Stream(t.Context(), ask("x")))
		if err == nil || !strings.Contains(err.Error(), "no capacity") {
			t.Errorf("with status %d: %v", status, err)
		}
	}
}
