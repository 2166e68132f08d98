package upstreamtest

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/model/upstream"
)

// StartMock runs an implementation of the providers' APIs that others wrote until the
// test ends and returns its URL, so that the tests do not only check our idea of a
// protocol against itself. It is for packages beside each other in internal/model.
func StartMock(t testing.TB) string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "test", "aimock")
	missing := ""
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "@copilotkit", "aimock")); err != nil {
		missing = "the npm mock is not installed; run: make test-tools"
	} else if _, err := exec.LookPath("node"); err != nil {
		missing = "the npm mock needs Node 20.15 or later"
	}
	if missing != "" {
		if os.Getenv("CI") == "true" {
			t.Fatal(missing)
		}
		t.Skip("skipped, not passed: " + missing)
	}
	cmd := exec.CommandContext(t.Context(), "node", "serve.mjs")
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // ends it
		_ = cmd.Wait()
	})
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the mock did not start: %v", err)
	}
	return strings.TrimSpace(url)
}

// Mock runs what the mock answers to every provider. Its usage and its reasoning are
// another thing for each.
func (k Kit) Mock(t *testing.T, url string) {
	p := k.New(t, url)
	t.Run("text", func(t *testing.T) {
		got, err := Collect(p.Stream(t.Context(), ask("greet me")))
		if err != nil {
			t.Fatal(err)
		}
		if text, stop := Said(got); text != "Hello from an independent implementation of the protocol." || stop != model.StopEndTurn {
			t.Errorf("said %q, stopped for %q", text, stop)
		}
	})
	t.Run("a loop with two tools", func(t *testing.T) { toolLoop(t, p) })
	t.Run("an error answer", func(t *testing.T) {
		_, err := Collect(p.Stream(t.Context(), ask("slow down")))
		f := Wants(t, k.Name, err, 429, model.RateLimited, true)
		if !strings.Contains(f.Message, "too many requests") {
			t.Errorf("message %q", f.Message)
		}
	})
	t.Run("an answer that was cut off", func(t *testing.T) {
		got, err := Collect(p.Stream(t.Context(), ask("cut off")))
		if err != nil {
			t.Fatal(err)
		}
		if _, stop := Said(got); stop != model.StopMaxTokens {
			t.Errorf("stopped for %q", stop)
		}
	})
	// The mock parses the whole body, streamed files included, before it answers; what
	// it remembers of it is the words.
	t.Run("a streamed body is a body", func(t *testing.T) {
		r := ask("")
		r.Prompt = model.NewPrompt("", "greet me", []attachment.Part{
			attachment.ImagePart{MIMEType: "image/png", Content: Stored("\x89PNG\r\n\x1a\n" + strings.Repeat("\x00\xff", 200_000))},
			attachment.TextDocumentPart{Name: "t.txt", Content: Stored(strings.Repeat("words \"and\" more\n", 20_000))},
		})
		got, err := Collect(p.Stream(t.Context(), r))
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := Said(got); !strings.HasPrefix(text, "Hello") {
			t.Errorf("said %q", text)
		}
	})
}

// toolLoop is a turn that calls two tools at once and ends with their results.
func toolLoop(t *testing.T, p *upstream.Provider) {
	t.Helper()
	r := ask("read two files")
	r.Tools = []model.ToolSpec{{Name: "read", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}}}`)}}
	got, err := Collect(p.Stream(t.Context(), r))
	if err != nil {
		t.Fatal(err)
	}
	var answer, results []model.Content
	var paths []string
	for _, c := range got {
		b, ok := c.(model.Block)
		if !ok {
			continue
		}
		answer = append(answer, b.Content)
		if call, ok := b.Content.(model.ToolCall); ok {
			paths = append(paths, string(call.Input))
			results = append(results, model.ToolOutput{CallID: call.ID, Parts: []attachment.Part{attachment.TextPart{Text: "content"}}})
		}
	}
	if diff := cmp.Diff([]string{`{"path":"a.txt"}`, `{"path":"b.txt"}`}, paths); diff != "" {
		t.Fatalf("calls (-want +got):\n%s", diff)
	}
	r.History = append(r.Messages(), model.Message{Role: model.Assistant, Content: answer}, model.Message{Role: model.User, Content: results})
	r.Prompt = nil
	got, err = Collect(p.Stream(t.Context(), r))
	if err != nil {
		t.Fatal(err)
	}
	if text, stop := Said(got); text != "Both files were read." || stop != model.StopEndTurn {
		t.Errorf("said %q, stopped for %q", text, stop)
	}
}
