package upstreamtest

import (
	"errors"
	"iter"
	"testing"

	"belay/internal/fault"
	"belay/internal/model"
)

// Collect returns the chunks of a sequence and the error that ended it.
func Collect(seq iter.Seq2[model.Chunk, error]) (chunks []model.Chunk, err error) {
	for c, e := range seq {
		if e != nil {
			return chunks, e
		}
		chunks = append(chunks, c)
	}
	return chunks, nil
}

// Substance is chunks without the signs of life.
func Substance(chunks []model.Chunk) (s []model.Chunk) {
	for _, c := range chunks {
		if _, alive := c.(model.Alive); !alive {
			s = append(s, c)
		}
	}
	return s
}

// Said is the text of an answer and why it stopped.
func Said(chunks []model.Chunk) (text string, stop model.StopReason) {
	for _, c := range chunks {
		switch c := c.(type) {
		case model.TextDelta:
			text += c.Text
		case model.Stop:
			stop = c.Reason
		}
	}
	return text, stop
}

// Wants checks status and category of an error of the provider of that name, and
// whether it may pass.
func Wants(t *testing.T, provider string, err error, status int, category model.Category, transient bool) *fault.Error {
	t.Helper()
	f := fault.From(err)
	if f == nil {
		t.Fatalf("no error, want %d %s", status, category)
	}
	var passing *model.TransientError
	if f.Type != fault.SDKFailure || f.Status != status || f.Details["category"] != string(category) ||
		f.Details["provider"] != provider || errors.As(err, &passing) != transient {
		t.Errorf("got %s %d %v (%v) transient=%v, want %d %s transient=%v",
			f.Type, f.Status, f.Details, f.Message, passing != nil, status, category, transient)
	}
	return f
}
