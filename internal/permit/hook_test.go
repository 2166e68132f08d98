package permit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// childHook is a hook that does as its arguments say.
func childHook(args []string) error {
	switch args[0] {
	case "say":
		fmt.Print(args[1])
	case "effect": // denies what it was notified of, by name
		var in HookInput
		if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
			return err
		}
		fmt.Printf(`{"verdict":"deny","note":"%s %s %s"}`, in.SessionID, in.Effect.Tool, in.Effect.Command)
	case "exit":
		fmt.Print(`{"verdict":"allow"}`)
		fmt.Fprint(os.Stderr, "out of order")
		os.Exit(1)
	case "flood":
		for {
			if _, err := os.Stdout.Write(bytes.Repeat([]byte("x"), 1<<16)); err != nil {
				return err
			}
		}
	case "hang":
		time.Sleep(time.Hour)
	case "spawn": // leaves a child that holds its output open
		cmd := exec.Command(os.Args[0], "hang")
		cmd.Stdout = os.Stdout
		if err := cmd.Start(); err != nil {
			return err
		}
		if err := os.WriteFile(args[1], []byte(strconv.Itoa(cmd.Process.Pid)), 0o600); err != nil {
			return err
		}
		fmt.Print(`{"verdict":"allow"}`)
	case "env":
		text, err := json.Marshal(strings.Join(os.Environ(), "|"))
		if err != nil {
			return err
		}
		fmt.Printf(`{"verdict":"allow","note":%s}`, text)
	}
	return nil
}

func hooks(t testing.TB, all ...Hook) *Hooks {
	t.Helper()
	h, err := NewHooks(HookOptions{Hooks: all, Dir: t.TempDir(), Env: append([]string{childEnv + "=hook"}, hasty...)})
	must(t, err)
	return h
}

func hook(args ...string) Hook {
	return Hook{Name: args[0], Command: append([]string{os.Args[0]}, args...)}
}

func TestHooksAnswer(t *testing.T) {
	t.Parallel()
	call := HookInput{SessionID: "sess_1", Effect: bash(t, "make")}
	allow, ask, deny := hook("say", `{"verdict":"allow","note":"a"}`), hook("say", `{"verdict":"ask","note":"b"}`), hook("say", `{"verdict":"deny","note":"c"}`)
	silent := hook("say", `{"verdict":"","note":"d"}`)
	elsewhere := deny
	elsewhere.Calls = rules(t, "bash(rm *)", "write")
	here := deny
	here.Calls = rules(t, "bash(make *)")
	for _, c := range []struct {
		hooks []Hook
		want  HookAnswer
	}{
		{nil, HookAnswer{}},
		{[]Hook{silent}, HookAnswer{Note: "d"}},
		{[]Hook{allow, silent}, HookAnswer{HookAllow, "a; d", "say"}},
		{[]Hook{ask, allow}, HookAnswer{HookAsk, "b; a", "say"}},
		{[]Hook{allow, deny, ask}, HookAnswer{HookDeny, "a; c", "say"}},
		{[]Hook{elsewhere, allow}, HookAnswer{HookAllow, "a", "say"}},
		{[]Hook{here, allow}, HookAnswer{HookDeny, "c", "say"}},
		{[]Hook{hook("effect")}, HookAnswer{HookDeny, "sess_1 bash make", "effect"}},
	} {
		got, err := hooks(t, c.hooks...).Before(soon(t), call)
		if err != nil || got != c.want {
			t.Errorf("%d hooks: %+v, %v, want %+v", len(c.hooks), got, err, c.want)
		}
	}
	if got, err := (*Hooks)(nil).Before(soon(t), call); err != nil || got != (HookAnswer{}) {
		t.Errorf("no hooks: %+v, %v", got, err)
	}
}

// Whatever goes wrong with a hook, the call is refused.
func TestHooksFailClosed(t *testing.T) {
	t.Parallel()
	slow := hook("hang")
	slow.Timeout = 200 * time.Millisecond
	for want, h := range map[string]Hook{
		"out of order":         hook("exit"),
		"more than":            hook("flood"),
		"longer than":          slow,
		"it is empty":          hook("say", " \n"),
		"no JSON object":       hook("say", "null"),
		"what it should be":    hook("say", "yes"),
		"unknown field":        hook("say", `{"verdict":"allow","extra":1}`),
		"after the JSON value": hook("say", `{"verdict":"allow"}{}`),
		"none of allow":        hook("say", `{"verdict":"permit"}`),
		"control characters":   hook("say", `{"verdict":"allow","note":"\u001b[2J"}`),
	} {
		got, err := hooks(t, h, hook("say", `{"verdict":"allow"}`)).Before(soon(t), HookInput{})
		if got.Verdict != HookDeny || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want a denial and %q", h.Command[1:], got, err, want)
		}
		// People and models read why, but not what the hook wrote to stderr.
		if why := strings.TrimPrefix(got.Note, "the hook "+h.Name+" failed: "); why == got.Note || why == "" || strings.Contains(why, "out of order") {
			t.Errorf("%q: the note is %q", h.Command[1:], got.Note)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := hooks(t, hook("hang")).Before(ctx, HookInput{}); got.Verdict != HookDeny || !errors.Is(err, context.Canceled) {
		t.Errorf("an ended turn: %+v, %v", got, err)
	}
	if _, err := NewHooks(HookOptions{Hooks: []Hook{{}, {Command: []string{"no-such-program-anywhere"}}}}); err == nil || strings.Count(err.Error(), "hook ") != 2 {
		t.Errorf("two broken hooks: %v, want both told", err)
	}
}

func TestHooksSeeNoKeys(t *testing.T) {
	t.Parallel()
	got := HookEnv([]string{"PATH=/bin", "ANTHROPIC_API_KEY=secret", "LC_ALL=C", "LD_PRELOAD=x", "Home=h", "=C:=x"})
	if want := "PATH=/bin|LC_ALL=C|Home=h"; strings.Join(got, "|") != want {
		t.Errorf("HookEnv = %q, want %s", got, want)
	}
	a, err := hooks(t, hook("env")).Before(soon(t), HookInput{})
	if err != nil || a.Note != strings.Join(append([]string{childEnv + "=hook"}, hasty...), "|") {
		t.Errorf("the hook's environment is %q, %v", a.Note, err)
	}
}

// Hooks have a say, but not the last word.
func TestHooksAndThePolicy(t *testing.T) {
	t.Parallel()
	read := Effect{Tool: "read", Kind: Read, Paths: []string{"a"}}
	unconfined := bash(t, "make")
	unconfined.Unconfined = true
	for _, c := range []struct {
		p    Policy
		e    Effect
		v    HookVerdict
		want Outcome
	}{
		{Policy{}, bash(t, "make"), HookAllow, Allow},
		{Policy{Mode: DontAsk}, bash(t, "make"), HookAllow, Allow},
		{Policy{NeverAsk: "no"}, bash(t, "make"), HookAllow, Allow},
		{Policy{}, bash(t, "make"), "", Ask},
		{Policy{}, bash(t, "make"), HookAsk, Ask},
		{Policy{Mode: Plan}, bash(t, "make"), HookAllow, Refuse},
		{Policy{Denied: rules(t, "bash(make *)")}, bash(t, "make"), HookAllow, Refuse},
		{Policy{Denied: rules(t, "bash(rm *)")}, bash(t, "$X"), HookAllow, Ask},
		{Policy{}, unconfined, HookAllow, Ask},
		{Policy{Mode: DontAsk}, unconfined, HookAllow, Refuse},
		{Policy{}, read, HookDeny, Refuse},
		{Policy{Allowed: rules(t, "bash")}, bash(t, "make"), HookDeny, Refuse},
		{Policy{Allowed: rules(t, "bash")}, bash(t, "make"), HookAsk, Ask},
		{Policy{Mode: DontAsk}, read, HookAsk, Refuse},
		{Policy{}, read, "", Allow},
	} {
		got := c.p.JudgeWith(c.e, HookAnswer{Verdict: c.v, Note: "because", Hook: "h"})
		if got.Outcome != c.want {
			t.Errorf("%+v, %s %q, hook %q: %+v, want %s", c.p, c.e.Tool, c.e.Command, c.v, got, c.want)
		}
		if c.want == Ask && strings.Count(got.Reason, "because") != 1 {
			t.Errorf("%+v, %s %q, hook %q: the question says %q, want the hook's note once", c.p, c.e.Tool, c.e.Command, c.v, got.Reason)
		}
	}
}

func TestHooksLeaveNothingRunning(t *testing.T) {
	t.Parallel()
	note := filepath.Join(t.TempDir(), "pid")
	if got, err := hooks(t, hook("spawn", note)).Before(soon(t), HookInput{}); got.Verdict != HookDeny || err == nil || !strings.Contains(err.Error(), "holds its output open") {
		t.Errorf("a hook that leaves a child with its output: %+v, %v", got, err)
	}
	text, err := os.ReadFile(note)
	must(t, err)
	pid, err := strconv.Atoi(string(text))
	must(t, err)
	for deadline := time.Now().Add(5 * time.Minute); alive(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d lives", pid)
		}
	}
}
