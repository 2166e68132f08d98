package test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The calls of a client of the original system, with its own expectations
// (compatible contract, sections 1.3 to 1.8 and 2).

// Covers: turn-api REQ-01, REQ-02, REQ-03, REQ-05, REQ-07, REQ-09
func TestOriginalClient(t *testing.T) {
	t.Parallel()
	s := newPlace(t).serve()
	status, answer := s.do("POST", "/api/harness/session/create", jsonOf(map[string]any{"projectRoot": s.project, "persona": "  "}))
	if status != 200 {
		t.Fatalf("create: %d %s", status, answer)
	}
	var created struct{ Session map[string]any }
	must(t, json.Unmarshal([]byte(answer), &created))
	rec := created.Session
	id := rec["sessionId"].(string)
	if !strings.HasPrefix(id, "sess_") || rec["persona"] != "WORKING_ITEMS" || rec["mode"] != "direct" || rec["projectRoot"] != s.project {
		t.Errorf("record %v", rec)
	}
	for _, absent := range []string{"claudeSessionId", "bootFingerprint", "bootedAt", "model"} {
		if _, ok := rec[absent]; ok {
			t.Errorf("%s is there before it is set", absent)
		}
	}

	// boot, then two turns: one conversation id throughout.
	_, answer = s.do("POST", "/api/harness/session/boot", jsonOf(map[string]any{"sessionId": id, "opts": map[string]any{}}))
	var booted struct {
		Session map[string]any
		Boot    struct{ ClaudeSessionID, BootFingerprint, BootedAt string }
	}
	must(t, json.Unmarshal([]byte(answer), &booted))
	if booted.Boot.ClaudeSessionID == "" || booted.Boot.BootFingerprint == "" || booted.Session["bootedAt"] != booted.Boot.BootedAt {
		t.Errorf("boot %s", answer)
	}
	for range 2 {
		all := s.turn(map[string]any{"sessionId": id, "message": "hello from the client"})
		if got := names(all); got != "session:init chat:delta usage chat:complete session:complete process:exit" {
			t.Errorf("events %s", got)
		}
		if all[0].data["claudeSessionId"] != booted.Boot.ClaudeSessionID || all[0].data["model"] == "" {
			t.Errorf("session:init %v", all[0].data)
		}
		if last(t, all).data["exitCode"] != 0.0 {
			t.Errorf("process:exit %v", last(t, all).data)
		}
		_, answer = s.do("GET", "/api/harness/session/"+id, "")
		if !strings.Contains(answer, booted.Boot.ClaudeSessionID) {
			t.Errorf("the record lost the conversation: %s", answer)
		}
	}

	_, answer = s.do("GET", "/api/harness/session/list?projectRoot="+s.project, "")
	if !strings.Contains(answer, id) {
		t.Errorf("list %s", answer)
	}
	if status, answer = s.do("DELETE", "/api/harness/session/"+id, ""); status != 200 || strings.TrimSpace(answer) != `{"ok":true}` {
		t.Errorf("delete: %d %s", status, answer)
	}
	s.fails(404, "SESSION_NOT_FOUND", "GET", "/api/harness/session/"+id, "")
}

// Covers: turn-api REQ-04, REQ-12
func TestOriginalMarkers(t *testing.T) {
	t.Parallel()
	s := newPlace(t).serve()
	id := s.session()
	ask := func(message, mode string) []sse {
		return s.turn(map[string]any{"sessionId": id, "message": message, "opts": map[string]any{"mode": mode}})
	}
	all := ask("UNAPPROVED_DENY_TEST", "dontAsk")
	if all[1].name != "tool:result" || all[1].data["ok"] != false || strings.Contains(names(all), "chat:delta") {
		t.Errorf("deny: %s %v", names(all), all[1].data)
	}
	all = ask("UNAPPROVED_ALLOW_TEST", "dontAsk")
	if all[1].name != "tool:result" || all[1].data["ok"] != true || !strings.Contains(names(all), "chat:delta") {
		t.Errorf("allow: %s %v", names(all), all[1].data)
	}
	if all = ask("UNAPPROVED_DENY_TEST", "direct"); strings.Contains(names(all), "tool:result") {
		t.Errorf("a marker acted in another mode: %s", names(all))
	}
	all = ask("TURN_SDK_FAIL_TEST", "direct")
	if got := names(all); got != "session:init turn:error process:exit" {
		t.Errorf("failure: %s", got)
	}
	exit := last(t, all).data
	if exit["exitCode"] != 1.0 || exit["interrupted"] != false || exit["errorType"] != "SDK_FAILURE" || exit["fatal"] != true {
		t.Errorf("process:exit %v", exit)
	}
	s.fails(500, "SDK_FAILURE", "POST", "/api/harness/session/boot",
		jsonOf(map[string]any{"sessionId": id, "opts": map[string]any{"model": "__BOOT_SDK_FAIL__"}}))
}

// The original's own validation polls interrupt every 50 ms until it takes.
//
// Covers: turn-api REQ-11
func TestOriginalInterrupt(t *testing.T) {
	t.Parallel()
	s := newPlace(t, "BELAY_SCRIPTED_PACE=35ms").serve()
	id := s.session()
	res := s.open(context.Background(), "POST", "/api/harness/turn",
		jsonOf(map[string]any{"sessionId": id, "message": "INTERRUPT_SIGINT_TEST " + strings.Repeat("word ", 5000)}))
	defer res.Body.Close()
	next := scanner(res.Body)
	first, err := next()
	must(t, err)
	if first.name != "session:init" {
		t.Fatalf("first event %s", first.name)
	}
	details := s.fails(409, "TURN_IN_PROGRESS", "POST", "/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": "second"}))
	if details["sessionId"] != id {
		t.Errorf("details %v", details)
	}
	s.fails(409, "TURN_IN_PROGRESS", "DELETE", "/api/harness/session/"+id, "")
	s.fails(409, "TURN_IN_PROGRESS", "POST", "/api/harness/session/boot", jsonOf(map[string]any{"sessionId": id}))
	status, answer := s.do("POST", "/api/harness/interrupt", jsonOf(map[string]any{"sessionId": id}))
	if status != 200 || strings.TrimSpace(answer) != `{"ok":true}` {
		t.Errorf("interrupt: %d %s", status, answer)
	}
	rest := events(t, res.Body)
	exit := last(t, rest)
	if exit.name != "process:exit" || exit.data["exitCode"] != 130.0 || exit.data["interrupted"] != true {
		t.Errorf("end %+v", exit)
	}
	if got := names(rest); strings.Contains(got, "complete") || strings.Contains(got, "turn:error") {
		t.Errorf("an interrupted turn has %s", got)
	}
	s.fails(404, "SESSION_NOT_FOUND", "POST", "/api/harness/interrupt", jsonOf(map[string]any{"sessionId": id}))
	if all := s.turn(map[string]any{"sessionId": id, "message": "after"}); last(t, all).data["exitCode"] != 0.0 {
		t.Error("the session is not free after an interrupt")
	}
}

// Covers: turn-api REQ-06, REQ-08; attachment-resolver REQ-01, REQ-03, REQ-04, REQ-07, REQ-08, REQ-13
func TestOriginalAttachments(t *testing.T) {
	t.Parallel()
	s := newPlace(t).serve()
	id := s.session()
	good := filepath.Join(s.project, "good.md")
	must(t, os.WriteFile(good, []byte("# words\n"), 0o644))
	must(t, os.Symlink(good, filepath.Join(s.project, "link.md")))
	bad := []string{"relative.md", filepath.Join(s.project, "gone.txt"), filepath.Join(s.project, "link.md"), s.project + "/", filepath.Join(s.project, "x.exe")}
	details := s.fails(400, "ATTACHMENT_FAILURE", "POST", "/api/harness/turn",
		jsonOf(map[string]any{"sessionId": id, "message": " ", "attachments": bad}))
	if details["category"] != "ALL_ATTACHMENTS_FAILED_NO_TEXT" || details["rejectedAttachmentCount"] != float64(len(bad)) {
		t.Errorf("details %v", details)
	}
	for i, e := range details["attachmentErrors"].([]any) {
		if e := e.(map[string]any); e["path"] != bad[i] || e["code"] == "" || e["reason"] == "" {
			t.Errorf("attachmentErrors[%d] = %v", i, e)
		}
	}
	all := s.turn(map[string]any{"sessionId": id, "message": "", "attachments": append(bad, good)})
	if all[0].data["promptMode"] != "blocks" || last(t, all).data["exitCode"] != 0.0 {
		t.Errorf("partial failure: %v", all[0].data)
	}
	details = s.fails(400, "INVALID_REQUEST", "POST", "/api/harness/turn",
		jsonOf(map[string]any{"sessionId": id, "message": "hi", "attachments": []any{good, map[string]any{"path": good, "mime": "image/png"}}}))
	if !strings.Contains(jsonOf(details), "attachments[1]") {
		t.Errorf("the object is not named: %v", details)
	}
}

// Covers: turn-api REQ-13
func TestOriginalMissingKey(t *testing.T) {
	t.Parallel()
	s := newPlace(t, "CHIRALITY_HARNESS_PROVIDER= Anthropic ").serve()
	id := s.session()
	for _, path := range []string{"/api/harness/turn", "/api/harness/session/boot"} {
		details := s.fails(503, "MISSING_API_KEY", "POST", path, jsonOf(map[string]any{"sessionId": id, "message": "hi"}))
		if details["provider"] != "anthropic" || details["category"] != "MISSING_API_KEY" {
			t.Errorf("%s: details %v", path, details)
		}
	}
}

// A reader that was cut off continues where it stopped, also at a server that
// was killed in mid-turn and started again.
//
// Covers: turn-api REQ-03, REQ-12
func TestKilledServer(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "BELAY_SCRIPTED_PACE=20ms")
	s := p.serve()
	id := s.session()
	res := s.open(context.Background(), "POST", "/api/harness/turn",
		jsonOf(map[string]any{"sessionId": id, "message": strings.Repeat("a long message ", 3000)}), "Idempotency-Key", "once")
	next := scanner(res.Body)
	var seen []sse
	for len(seen) < 5 {
		e, err := next()
		must(t, err)
		seen = append(seen, e)
	}
	s.kill()
	for {
		e, err := next()
		if err != nil {
			break
		}
		seen = append(seen, e)
	}
	must(t, res.Body.Close())

	s = p.serve()
	resume := s.open(context.Background(), "GET", "/api/harness/session/"+id+"/events?turn="+seen[0].data["turnId"].(string), "",
		"Last-Event-ID", jsonOf(last(t, seen).id))
	defer resume.Body.Close()
	all := append(seen, events(t, resume.Body)...)
	for i, e := range all {
		if e.id != int64(i+1) {
			t.Fatalf("event %d has id %d: lost or repeated", i+1, e.id)
		}
	}
	exit := last(t, all)
	if exit.name != "process:exit" || exit.data["exitCode"] != 1.0 {
		t.Errorf("end %+v", exit)
	}
	again := s.turn(map[string]any{"sessionId": id, "message": strings.Repeat("a long message ", 3000)}, "Idempotency-Key", "once")
	if len(again) != len(all) || again[0].data["turnId"] != all[0].data["turnId"] {
		t.Errorf("the same key gave another turn: %d events, had %d", len(again), len(all))
	}
	s.fails(409, "IDEMPOTENCY_CONFLICT", "POST", "/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": "other"}), "Idempotency-Key", "once")
	if all := s.turn(map[string]any{"sessionId": id, "message": "and on"}); last(t, all).data["exitCode"] != 0.0 {
		t.Error("the lease is not free")
	}
	_, transcript := s.do("GET", "/api/harness/session/"+id+"/transcript", "")
	if !strings.Contains(transcript, "a long message") || !strings.Contains(transcript, "and on") {
		t.Errorf("transcript %s", clip(transcript))
	}
}

// A turn that another process runs is live at the server.
func TestTurnOfATerminalIsLive(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "BELAY_SCRIPTED_PACE=30ms")
	s := p.serve()
	id := s.session()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	live := s.open(ctx, "GET", "/api/harness/session/"+id+"/events?after=0", "")
	defer live.Body.Close()
	cmd := p.command("turn", "--session", id, strings.Repeat("word ", 5000))
	cmd.Stdout = io.Discard
	must(t, cmd.Start())
	next := scanner(live.Body)
	for {
		e, err := next()
		must(t, err)
		if e.name == "chat:delta" {
			break // and the process still runs:
		}
	}
	if cmd.ProcessState != nil {
		t.Error("the event came only after the turn")
	}
	s.fails(409, "TURN_IN_PROGRESS", "POST", "/api/harness/turn", jsonOf(map[string]any{"sessionId": id, "message": "me too"}))
	if status, answer := s.do("POST", "/api/harness/interrupt", jsonOf(map[string]any{"sessionId": id})); status != 200 {
		t.Errorf("interrupt of another process: %d %s", status, answer)
	}
	for {
		e, err := next()
		must(t, err)
		if e.name == "process:exit" {
			if e.data["exitCode"] != 130.0 {
				t.Errorf("end %v", e.data)
			}
			break
		}
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 130 {
		t.Errorf("the terminal's turn ended with %v", err)
	}
}

// A reader that stops reading costs the turns nothing, and is dropped.
func TestStuckReader(t *testing.T) {
	t.Parallel()
	s := newPlace(t, "BELAY_SCRIPTED_PACE=0").serve()
	id := s.session()
	stuck := s.open(context.Background(), "GET", "/api/harness/session/"+id+"/events?after=0", "")
	defer stuck.Body.Close() // and never read
	message := strings.Repeat("x", 300_000)
	// More than the kernel's buffers hold, so that the reader is really stuck.
	for range 16 {
		if exit := last(t, s.turn(map[string]any{"sessionId": id, "message": message})); exit.data["exitCode"] != 0.0 {
			t.Fatalf("a turn ended with %v", exit.data)
		}
	}
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		_, metrics := s.do("GET", "/metrics", "")
		if strings.Contains(metrics, "\nbelay_streams_open 0\n") {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the stuck reader was never dropped")
		}
	}
}
