package upstreamtest

import (
	"bytes"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"belay/internal/attachment"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/upstream"
)

// Kit is a provider as the suite sees it.
type Kit struct {
	// Name is the provider's.
	Name string
	// New returns one for the service at url that leaves nothing behind.
	New func(t testing.TB, url string, change ...func(*upstream.Options)) *upstream.Provider
	// Hello is a whole answer, which is Chunks chunks beside signs of life. Half is
	// one that has begun. Shown is one of which words were shown.
	Hello  string
	Chunks int
	Half   string
	Shown  string
}

// ask is a request that has a few words.
func ask(words string) model.Request {
	return model.Request{Model: "m", Prompt: model.StringPrompt(words)}
}

// Run runs the suite.
func (k Kit) Run(t *testing.T) {
	for name, test := range map[string]func(*testing.T){
		"a connection fails":                   k.connectionErrors,
		"no answer in time":                    k.noAnswerInTime,
		"retries are not the SDK's":            k.retries,
		"slow bytes arrive":                    k.slowBytes,
		"what is sent is seen":                 k.sending,
		"a cancel ends a stalled stream":       k.cancelStalled,
		"a cancel is seen among events":        k.cancelBuffered,
		"who stops listening hangs up":         k.hangUp,
		"a connection is used again":           k.reuse,
		"what is no event stream":              k.noStream,
		"junk is tried again":                  k.junk,
		"but not once words were shown":        k.junkAfterWords,
		"a comment is a keep-alive":            k.comments,
		"bootstrap calls only when it probes":  k.bootstrap,
		"a check of the key costs nothing":     k.check,
		"markers have no effect":               k.markers,
		"an attachment that cannot be read":    k.unreadable,
		"what no protocol can say is not sent": k.nothing,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

// hello is a service that says hello.
func (k Kit) hello(t testing.TB) string { return Streaming(t, k.Hello) }

func (k Kit) noStream(t *testing.T) {
	for kind, body := range map[string]string{
		"text/html": "<html>Sign in", "application/json": `{"object":"chat.completion","choices":[]}`, "": k.Hello,
	} {
		url := Answering(t, http.StatusOK, http.Header{"Content-Type": {kind}}, body)
		_, err := Collect(k.New(t, url).Stream(t.Context(), ask("x")))
		Wants(t, k.Name, err, 502, model.StreamInvalid, true)
	}
}

func (k Kit) bootstrap(t *testing.T) {
	calls := 0
	p := k.New(t, Serve(t, func(w http.ResponseWriter, _ *http.Request) {
		calls++
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, k.Hello)
	}))
	for _, probe := range []bool{false, true} {
		if err := p.Bootstrap(t.Context(), ask("bootstrap"), probe); err != nil {
			t.Error(err)
		}
	}
	if calls != 1 {
		t.Errorf("%d calls, want one for the probe", calls)
	}
}

// A check asks for the models alone. A server without such a list may be fine.
func (k Kit) check(t *testing.T) {
	for _, c := range []struct {
		status   int
		body     string
		category model.Category
	}{
		{http.StatusOK, `{"data": []}`, ""},
		{http.StatusNotFound, "no such page", ""},
		{http.StatusUnauthorized, `{"error": {"message": "no"}}`, model.InvalidAPIKey},
	} {
		asked := ""
		p := k.New(t, Serve(t, func(w http.ResponseWriter, r *http.Request) {
			asked = r.Method + " " + r.URL.Path
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		err := p.Check(t.Context())
		if (err == nil) != (c.category == "") || err != nil && fault.From(err).Details["category"] != string(c.category) {
			t.Errorf("%d: %v, want the category %q", c.status, err, c.category)
		}
		if !strings.HasPrefix(asked, "GET ") || !strings.HasSuffix(asked, "/models") {
			t.Errorf("it asked for %q", asked)
		}
	}
}

// The markers of the scripted provider are ordinary words to others.
func (k Kit) markers(t *testing.T) {
	p := k.New(t, k.hello(t))
	for _, words := range []string{" bootstrap ", "TURN_SDK_FAIL_TEST", "UNAPPROVED_DENY_TEST", "INTERRUPT_SIGINT_TEST"} {
		r := ask(words)
		r.Mode = "dontAsk"
		got, err := Collect(p.Stream(t.Context(), r))
		if err != nil || len(Substance(got)) != k.Chunks {
			t.Errorf("%q: %v, %v", words, got, err)
		}
	}
}

// broken is content whose bytes are not what was recorded.
type broken struct {
	Stored
	size int64
	err  error
}

func (b broken) Size() int64 { return b.size }

func (b broken) Open() (io.ReadCloser, error) {
	if b.err != nil {
		return nil, b.err
	}
	return b.Stored.Open()
}

func (k Kit) unreadable(t *testing.T) {
	p := k.New(t, k.hello(t))
	for name, c := range map[string]broken{
		"gone": {err: io.ErrClosedPipe, size: 10}, "shorter": {Stored: Stored("1234"), size: 10}, "longer": {Stored: Stored("12345678901"), size: 10},
	} {
		for kind, part := range map[string]attachment.Part{
			"image":     attachment.ImagePart{MIMEType: "image/png", Content: c},
			"text":      attachment.TextDocumentPart{Name: "t", Content: c},
			"long text": attachment.TextDocumentPart{Name: "t", Content: broken{c.Stored, upstream.InlineText + 1, c.err}},
		} {
			_, err := Collect(p.Stream(t.Context(), model.Request{Model: "m", Prompt: model.BlockPrompt{part}}))
			if !fault.Is(err, fault.StorageFailure) {
				t.Errorf("%s, %s: %v, want STORAGE_FAILURE", name, kind, err)
			}
		}
	}
}

func (k Kit) nothing(t *testing.T) {
	p := k.New(t, Serve(t, func(http.ResponseWriter, *http.Request) { t.Error("it was sent") }))
	_, err := Collect(p.Stream(t.Context(), model.Request{Model: "m", Prompt: model.BlockPrompt{nil}}))
	if f := fault.From(err); f == nil || strings.Contains(f.Message, "panic") {
		t.Errorf("a part that is nil: %v", err)
	}
}

// Big is a turn with 20 MiB attached.
func Big() model.Request {
	image := attachment.ImagePart{MIMEType: "image/png", Width: 2000, Height: 2000, Content: Stored(bytes.Repeat([]byte("0123456789abcdef"), 5<<16))}
	text := attachment.TextDocumentPart{Name: "t", Content: Stored(bytes.Repeat([]byte("0123456789abcde\n"), 5<<16))}
	return model.Request{Model: "m", Prompt: model.BlockPrompt{attachment.TextPart{Text: "look"}, image, image, image, text}}
}

// Memory checks that a request costs the same memory whatever is attached. Nothing
// else may run meanwhile.
func (k Kit) Memory(t *testing.T) {
	p, r := k.New(t, k.hello(t)), Big()
	call := func() {
		if _, err := Collect(p.Stream(t.Context(), r)); err != nil {
			t.Fatal(err)
		}
	}
	call()
	var before, after runtime.MemStats
	const calls = 2
	runtime.ReadMemStats(&before)
	for range calls {
		call()
	}
	runtime.ReadMemStats(&after)
	// The service's own buffer is part of the count.
	if each := (after.TotalAlloc - before.TotalAlloc) / calls; each > 2<<20 {
		t.Errorf("%d bytes allocated for a call, want at most 2 MiB", each)
	}
}

// soon bounds the wait for what happens at once.
const soon = 30 * time.Second
