package permit

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// childEnv makes the test binary run one of children instead of its tests: a
// real other process.
const childEnv = "BELAY_PERMIT_TEST_CHILD"

// hasty keeps the race detector of a child from waiting a second before it ends.
var hasty = []string{"GORACE=atexit_sleep_ms=0"}

var children = map[string]func(args []string) error{
	"decide": childDecide, "ask": childAsk, "append": childAppend, "hook": childHook,
}

func TestMain(m *testing.M) {
	if child, ok := children[os.Getenv(childEnv)]; ok {
		if err := child(os.Args[1:]); err != nil {
			fmt.Println("failed:", err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// childDecide waits for a line, then answers a question and says whether its
// answer counted.
func childDecide(args []string) error {
	d, err := OpenRequests(RequestsOptions{Dir: args[0]})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	if _, err := d.Decide(context.Background(), "", args[1], Verdict(args[2]), "child", ""); err != nil {
		fmt.Println("lost:", err)
	} else {
		fmt.Println("won")
	}
	return d.Close()
}

// childAsk posts a question and waits, until it is killed.
func childAsk(args []string) error {
	d, err := OpenRequests(RequestsOptions{Dir: args[0]})
	if err != nil {
		return err
	}
	p, err := d.Post(context.Background(), question(args[1]))
	if err != nil {
		return err
	}
	fmt.Println("ready")
	answer, err := p.Wait(context.Background())
	fmt.Println(answer.Verdict)
	return err
}

// childAppend writes to the audit log, for ever or as often as it is told.
func childAppend(args []string) error {
	a, err := OpenAudit(args[0], nil)
	if err != nil {
		return err
	}
	times, err := strconv.Atoi(args[1])
	for n := 0; err == nil && (times == 0 || n < times); n++ {
		err = a.Append(context.Background(), Entry{Kind: "refusal", Summary: fmt.Sprint("entry ", n, " of ", os.Getpid())})
		if n == 0 {
			fmt.Println("ready")
		}
	}
	return err
}

// child is a running child process.
type child struct {
	cmd *exec.Cmd
	out *bufio.Scanner
	in  *os.File
}

func start(t testing.TB, kind string, args ...string) *child {
	t.Helper()
	r, w, err := os.Pipe()
	must(t, err)
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(append(os.Environ(), childEnv+"="+kind), hasty...)
	cmd.Stderr, cmd.Stdin = os.Stderr, r
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	must(t, r.Close())
	c := &child{cmd, bufio.NewScanner(out), w}
	t.Cleanup(func() {
		_ = w.Close()
		c.kill()
	})
	return c
}

// kill ends the child as kill -9 does and waits for it.
func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

func (c *child) hear(t testing.TB) string {
	t.Helper()
	if !c.out.Scan() {
		t.Fatalf("the child said nothing more: %v", c.out.Err())
	}
	return c.out.Text()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// soon is a context that no test that works comes to the end of.
func soon(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	return ctx
}
