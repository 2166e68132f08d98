package test

import (
	"strings"
	"testing"
)

// A message that shows nothing is none: no model is asked for it.
func TestBlankMessages(t *testing.T) {
	t.Parallel()
	s := newPlace(t).serve()
	id := s.session()
	for _, message := range []string{"", " \n", "\ufeff", "\u200b\u2060", " \ufeff\u200d "} {
		body := jsonOf(map[string]any{"sessionId": id, "message": message})
		if details := s.fails(400, "INVALID_REQUEST", "POST", "/api/harness/turn", body); details["field"] != "message" {
			t.Errorf("%q: details %v", message, details)
		}
	}
	// A byte order mark before the body, as some editors and shells write it, is no
	// part of it.
	status, answer := s.do("POST", "/api/harness/turn", "\ufeff"+jsonOf(map[string]any{"sessionId": id, "message": "hello"}))
	if status != 200 || !strings.Contains(answer, "event: process:exit") {
		t.Errorf("with a byte order mark: %d %s", status, answer)
	}
}
