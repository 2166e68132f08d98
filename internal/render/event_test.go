package render

import (
	"testing"

	"belay/internal/event"
)

func TestAnswers(t *testing.T) {
	t.Parallel()
	for want, d := range map[string]event.Init{
		"m": {Model: "m"}, "o": {AnsweredBy: "o"}, "scripted (offline)": {Model: "scripted"}, "scripted (offline), in place of m": {Model: "m", AnsweredBy: "scripted"},
	} {
		if got := Answers(&d); got != want {
			t.Errorf("%+v: %q, want %q", d, got, want)
		}
	}
}
