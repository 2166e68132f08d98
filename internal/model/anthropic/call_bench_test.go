package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"belay/internal/model"
	"belay/internal/model/upstream"
)

// canned is a transport with one answer, so that a benchmark counts the caller's
// work alone.
type canned []byte

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(bytes.NewReader(c)), Request: r,
	}, r.Body.Close()
}

// BenchmarkCall is a turn of a conversation without the network: the request is
// made and written, the answer read.
func BenchmarkCall(b *testing.B) {
	pieces := make([]string, 20)
	for i := range pieces {
		pieces[i] = "It is in the log. "
	}
	p, err := upstream.New(service, upstream.Options{Key: func() string { return "sk-bench" }}, func(e upstream.Endpoint, client *http.Client) upstream.Protocol {
		client.Transport = canned(started + ping + text(0, pieces...) + ended("end_turn") + stopped)
		return Options{}.speak(e, client)
	})
	if err != nil {
		b.Fatal(err)
	}
	r := ask("twenty bytes of text")
	r.System = []string{"You work in a project.", "Be short."}
	for i := range 20 {
		r.History = append(r.History, model.Message{
			Role:    []model.Role{model.User, model.Assistant}[i%2],
			Content: []model.Content{model.Text{Text: "It is all in the log."}},
		})
	}
	for i := range 12 {
		r.Tools = append(r.Tools, model.ToolSpec{
			Name: fmt.Sprintf("tool_%d", i), Description: "reads a file",
			Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`),
		})
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := collect(p.Stream(b.Context(), r)); err != nil {
			b.Fatal(err)
		}
	}
}
