package event

import "testing"

func TestAnswers(t *testing.T) {
	t.Parallel()
	for want, i := range map[string]Init{
		"m": {Model: "m"}, "scripted, in place of m": {Model: "m", AnsweredBy: "scripted"},
	} {
		if got := i.Answers(); got != want {
			t.Errorf("%+v: %q, want %q", i, got, want)
		}
	}
}
