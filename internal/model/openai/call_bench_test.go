package openai

import (
	"net/http"
	"testing"

	"belay/internal/model/upstream"
	"belay/internal/model/upstream/upstreamtest"
)

// BenchmarkCall is a turn of a conversation without the network: the request is made
// and written, the answer read.
func BenchmarkCall(b *testing.B) {
	answer := text(upstreamtest.Pieces()...) + ended("stop") + counted + done
	p, err := upstream.New(service, upstream.Options{Key: func() string { return "sk-bench" }}, func(e upstream.Endpoint, client *http.Client) upstream.Protocol {
		client.Transport = upstreamtest.Canned(answer)
		return Options{}.newProtocol(e, client)
	})
	if err != nil {
		b.Fatal(err)
	}
	upstreamtest.Calls(b, p)
}
