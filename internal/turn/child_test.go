package turn

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"belay/internal/event"
	"belay/internal/model"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/tool"
	"belay/internal/tool/files"
)

// childEnv makes the test binary run one of children instead of its tests: a
// real other process on the same folders.
const childEnv = "BELAY_TURN_TEST_CHILD"

var children = map[string]func(state, id, arg string){
	"die": childDies, "work": childWorks, "hold": childHolds, "starve": childStarves, "boot": childBoots, "write": childWrites,
	"choke": childChokes, "send": childSends,
	"hook": func(_, _, answer string) {
		if answer == "never" {
			time.Sleep(time.Hour)
		}
		fmt.Print(answer)
	},
}

func TestMain(m *testing.M) {
	if run, ok := children[os.Getenv(childEnv)]; ok {
		run(os.Args[1], os.Args[2], os.Args[3])
		return
	}
	goleak.VerifyTestMain(m)
}

// child is a running child process.
type child struct {
	cmd *exec.Cmd
	out *bufio.Scanner
}

func (r *rig) child(kind, id, arg string) *child {
	r.t.Helper()
	cmd := exec.Command(os.Args[0], r.state, id, arg)
	cmd.Env = append(os.Environ(), childEnv+"="+kind)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(r.t, err)
	must(r.t, cmd.Start())
	c := &child{cmd, bufio.NewScanner(out)}
	r.t.Cleanup(c.kill)
	return c
}

// kill ends the child as kill -9 does and waits for it.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

// hear returns the child's next line, "" when it is dead.
func (c *child) hear() string {
	if !c.out.Scan() {
		return ""
	}
	return c.out.Text()
}

func (c *child) expect(t testing.TB, line string) {
	t.Helper()
	if got := c.hear(); got != line {
		t.Fatalf("the child said %q, want %q", got, line)
	}
}

// grown is an engine in a child process.
func grown(state string, p play, clock func() time.Time, stored func(*session.Options)) *Local {
	dir, err := os.MkdirTemp(state, "scratch-")
	grownUp(err)
	a, err := assemble(state, dir, &fake{play: p}, clock, stored, func(o *Options) {
		o.Rules.Limits.DeltaInterval = time.Millisecond
	})
	grownUp(err)
	return a.engine
}

func grownUp(err error) {
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(3)
	}
}

// takes runs a turn to its end.
func takes(e *Local, r Request) event.Exit {
	s, err := e.Start(context.Background(), r)
	grownUp(err)
	fmt.Println("accepted", s.Turn())
	var last event.Event
	for {
		events, err := s.Next(context.Background())
		if errors.Is(err, io.EOF) {
			break
		}
		grownUp(err)
		last = events[len(events)-1]
	}
	var exit event.Exit
	grownUp(decode(last, &exit))
	return exit
}

// writing is an engine's tools for files.
func writing(o *Options) {
	set, err := tool.NewSet(files.New(files.Options{})...)
	grownUp(err)
	o.Tools, o.Scope = set, func(string, persona.Persona) tool.Scope { return open{} }
	o.Rules.Tools = tool.Limits{OutputBytes: 64 << 10, ReadBytes: 1 << 20, WriteBytes: 1 << 20, KeepBytes: 1 << 20, Matches: 100, SendFileBytes: 1 << 20, SendCallBytes: 1 << 20}
}

// childWrites takes a turn that edits a file and makes another one, and kills
// itself when the clock was looked at for the arg-th time.
func childWrites(state, id, arg string) {
	childActs(state, id, arg,
		model.ToolCall{ID: "e", Name: "edit", Input: []byte(`{"path":"a.txt","edits":[{"old":"one","new":"two"}]}`)},
		model.ToolCall{ID: "w", Name: "write", Input: []byte(`{"path":"new/deep/b.txt","content":"new"}`)},
	)
}

// childSends does so in a turn that sends a file.
func childSends(state, id, arg string) {
	childActs(state, id, arg, model.ToolCall{ID: "s", Name: "attachment.add", Input: []byte(`{"path":"a.txt"}`)})
}

func childActs(state, id, arg string, calls ...model.ToolCall) {
	at, err := strconv.ParseInt(arg, 10, 64)
	grownUp(err)
	var looks atomic.Int64
	clock := func() time.Time {
		if looks.Add(1) == at {
			die()
		}
		return time.Now()
	}
	dir, err := os.MkdirTemp(state, "scratch-")
	grownUp(err)
	p := &fake{play: asks(calls...)}
	a, err := assemble(state, dir, p, clock, func(*session.Options) {}, writing)
	grownUp(err)
	takes(a.engine, Request{SessionID: id, Message: "write", Opts: Opts{Mode: "acceptEdits"}})
	fmt.Println("survived")
}

// childDies takes one turn and then kills itself when the clock was looked at
// for the arg-th time in another: the engine and the store look at it at every
// step of a turn.
func childDies(state, id, arg string) {
	at, err := strconv.ParseInt(arg, 10, 64)
	grownUp(err)
	var looks atomic.Int64
	looks.Store(-1 << 40)
	clock := func() time.Time {
		if looks.Add(1) == at {
			die()
		}
		return time.Now()
	}
	e := grown(state, twoRounds(0), clock, func(o *session.Options) { o.SegmentBytes = 2000 })
	takes(e, Request{SessionID: id, Message: "the first"})
	looks.Store(0)
	takes(e, Request{SessionID: id, Message: "the second", IdempotencyKey: "key", BodyDigest: "digest"})
	fmt.Println("survived")
}

// die is kill -9 on oneself.
func die() {
	p, err := os.FindProcess(os.Getpid())
	grownUp(err)
	grownUp(p.Kill())
	select {} // until it arrives
}

// twoRounds is an answer with a tool call, and one without.
func twoRounds(pause time.Duration) play {
	return func(ctx context.Context, r model.Request, yield func(model.Chunk, error) bool) {
		word := "one "
		if r.Prompt == nil {
			word = "two "
		}
		text := ""
		for range 12 {
			text += word
			if !yield(model.TextDelta{Text: word}, nil) {
				return
			}
			time.Sleep(pause)
		}
		if !yield(model.Block{Content: model.Text{Text: text}}, nil) || !yield(model.Usage{InputTokens: 3, OutputTokens: 12}, nil) {
			return
		}
		if r.Prompt == nil {
			yield(model.Stop{Reason: model.StopEndTurn}, nil)
			return
		}
		_ = yield(model.Block{Content: model.ToolCall{ID: newID(), Name: "nothing", Input: []byte("{}")}}, nil) &&
			yield(model.Stop{Reason: model.StopToolUse}, nil)
	}
}

// childWorks takes turns, one after another, until it is killed.
func childWorks(state, id, _ string) {
	e := grown(state, twoRounds(500*time.Microsecond), time.Now, func(o *session.Options) { o.SegmentBytes = 4000 })
	for n := 0; ; n++ {
		takes(e, Request{SessionID: id, Message: fmt.Sprint("work ", n), IdempotencyKey: fmt.Sprint("key-", os.Getpid(), "-", n), BodyDigest: "digest"})
	}
}

// childHolds takes a turn that only ends when it is interrupted.
func childHolds(state, id, _ string) {
	e := grown(state, blocks(make(chan struct{})), time.Now, func(*session.Options) {})
	exit := takes(e, Request{SessionID: id, Message: "hold"})
	fmt.Println("exit", exit.ExitCode)
}

// childBoots boots a session whose provider never answers.
func childBoots(state, id, _ string) {
	dir, err := os.MkdirTemp(state, "scratch-")
	grownUp(err)
	p := &booted{fake: &fake{}, step: func(context.Context, model.Request, bool) error {
		fmt.Println("booting")
		select {}
	}}
	a, err := assemble(state, dir, p, time.Now, func(*session.Options) {})
	grownUp(err)
	_, err = a.engine.Boot(context.Background(), BootRequest{SessionID: id})
	grownUp(err)
}
