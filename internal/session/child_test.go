package session

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"belay/internal/event"
)

// childEnv makes the test binary run one of children instead of its tests: a
// real other process.
const childEnv = "BELAY_SESSION_TEST_CHILD"

var children = map[string]func(){"append": childAppend, "hold": childHold}

// childAppend runs turns, one after another, until it is killed.
func childAppend() {
	s, id := childStore()
	for n := 1; ; n++ {
		l, err := s.Acquire(context.Background(), id)
		childMust(err)
		name := fmt.Sprintf("turn-%d-%d", os.Getpid(), n)
		childMust(l.Begin(name))
		childMust(l.Append(Entry{Kind: EntryTurn, Turn: name, Message: strings.Repeat("m", n%3000)}))
		for i := range 20 {
			_, err := l.Emit(name, event.Draft{Type: event.ChatDelta, Data: event.Text{Text: strings.Repeat("x", (n*i)%5000)}})
			childMust(err)
		}
		childMust(l.Append(Entry{Kind: EntryEnd, Turn: name}))
		_, err = l.Emit(name, event.Draft{Type: event.ProcessExit, Data: event.Exit{}})
		childMust(err)
		childMust(l.Release())
		if n == 1 {
			fmt.Println("ready")
		}
	}
}

// childHold takes the lease and obeys: a line "emit" appends an event,
// "release" ends.
func childHold() {
	s, id := childStore()
	l, err := s.Acquire(context.Background(), id)
	if err != nil {
		fmt.Println("refused", err)
		return
	}
	childMust(l.Begin("theirs"))
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		for i := range s.Signals.Interrupts(ctx) {
			fmt.Println("interrupt", i.Session, i.Turn)
		}
	}()
	fmt.Println("ready")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() && in.Text() != "release" {
		_, err := l.Emit("theirs", event.Draft{Type: event.ChatDelta, Data: event.Text{Text: in.Text()}})
		childMust(err)
		fmt.Println("done")
	}
	childMust(in.Err())
	cancel()
	childMust(l.Release())
	childMust(s.Close())
}

func childStore() (*Store, string) {
	s, err := NewStore(Options{StateDir: os.Args[1], SegmentBytes: 64 << 10})
	childMust(err)
	return s, os.Args[2]
}

func childMust(err error) {
	if err != nil {
		fmt.Println("failed", err)
		os.Exit(3)
	}
}

// child is a running child process.
type child struct {
	cmd *exec.Cmd
	in  *bufio.Writer
	out *bufio.Scanner
}

func startChild(t testing.TB, w *world, kind, id string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0], w.o.StateDir, id)
	cmd.Env = append(os.Environ(), childEnv+"="+kind)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	c := &child{cmd, bufio.NewWriter(in), bufio.NewScanner(out)}
	t.Cleanup(c.kill)
	return c
}

// kill ends the child as kill -9 does and waits for it.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

func (c *child) say(t testing.TB, line string) {
	t.Helper()
	_, err := fmt.Fprintln(c.in, line)
	must(t, err)
	must(t, c.in.Flush())
}

// hear returns the child's next line.
func (c *child) hear(t testing.TB) string {
	t.Helper()
	if !c.out.Scan() {
		t.Fatalf("the child said nothing more: %v", c.out.Err())
	}
	return c.out.Text()
}

func (c *child) expect(t testing.TB, line string) {
	t.Helper()
	if got := c.hear(t); got != line {
		t.Fatalf("the child said %q, want %q", got, line)
	}
}
