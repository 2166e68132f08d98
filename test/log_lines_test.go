package test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// Log lines name request, session and turn, as text and as JSON, and have no keys in them.
func TestLogLines(t *testing.T) {
	t.Parallel()
	const key = "sk-ant-REDACTED"
	for _, format := range []string{"text", "json"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, "ANTHROPIC_API_KEY="+key)
			s := p.serve("--log-format", format, "--log-level", "debug")
			id := s.session()
			s.turn(map[string]any{"sessionId": id, "message": "the message " + key}, "X-Request-Id", "req-1")
			s.do("GET", "/api/harness/session/"+id+"?"+key, "", "X-Request-Id", "two words\x20and more")
			turn := s.turnOf(id)
			s.stop()
			ended, asked := "", ""
			for line := range strings.Lines(s.err.String()) {
				switch {
				case strings.Contains(line, "turn ended"):
					ended = line
				case strings.Contains(line, "startTurn"):
					asked = line
				}
			}
			if n := strings.Count(ended, "req-1"); n != 1 {
				t.Errorf("the id of the request is there %d times: %s", n, ended)
			}
			wanted := map[string]string{"request": "req-1", "session": id, "turn": turn, "exit": "0", "reason": "end_turn", "level": "INFO"}
			for name, want := range wanted {
				if got := fieldOf(t, format, ended, name); got != want {
					t.Errorf("%s is %q, want %q, in %s", name, got, want, ended)
				}
			}
			for name, want := range map[string]string{"request": "req-1", "status": "200", "route": "startTurn", "level": "DEBUG"} {
				if got := fieldOf(t, format, asked, name); got != want {
					t.Errorf("%s is %q, want %q, in %s", name, got, want, asked)
				}
			}
			if all := s.err.String(); strings.Contains(all, key) || strings.Contains(all, "the message") || strings.Contains(all, "two words") {
				t.Errorf("the log has what it must not have: %s", all)
			}
		})
	}
}

// At the usual level a request is no line, and a turn is one.
func TestUsualLogLines(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve()
	id := s.session()
	s.turn(map[string]any{"sessionId": id, "message": "hello"})
	s.stop()
	if n := strings.Count(s.err.String(), "level="); n != 1 {
		t.Errorf("%d lines, want one for the turn: %s", n, s.err)
	}
}

// fieldOf is a value of a log line.
func fieldOf(t *testing.T, format, line, name string) string {
	t.Helper()
	if format == "text" {
		_, rest, _ := strings.Cut(line, " "+name+"=")
		value, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		return value
	}
	var all map[string]any
	if err := json.Unmarshal([]byte(line), &all); err != nil {
		t.Errorf("%v in %q", err, line)
		return ""
	}
	return fmt.Sprint(all[name])
}
