package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// firstStartLimit is how long a first start may take, from the archive to an answer.
const firstStartLimit = 3 * time.Minute

// firstStart does what docs/install.md says, with its own commands: somebody who has
// nothing but the archive and a key installs belay, sets it up, and gets an answer, for
// which they decide on a change. A provider on this machine answers.
func firstStart(t *testing.T, dist, archive string) {
	if _, err := exec.LookPath("script"); err != nil {
		missing(t, "there is no script here, which makes terminals")
	}
	provider := httptest.NewServer(http.HandlerFunc(answer))
	t.Cleanup(provider.Close)
	home := t.TempDir()
	for _, name := range []string{archive, checksumFile} {
		if err := os.Link(filepath.Join(dist, name), filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now()
	person := atTerminal(t, home, "BELAY_ANTHROPIC_BASE_URL="+provider.URL)
	version := strings.TrimSuffix(strings.TrimPrefix(archive, "belay_"), "_linux_"+host.arch+".tar.gz")
	for _, line := range append(lines(t, "From an archive"), lines(t, "The first start")...) {
		line = strings.NewReplacer("VERSION", version, "YOUR_KEY", "sk-ant-not-a-real-key", "amd64", host.arch).Replace(line)
		person.types(line)
		if line == "belay setup" {
			person.sees(`number or name \[1\]`)
			person.types("")
		}
		if strings.HasPrefix(line, "belay turn") {
			person.sees(`\+# What I can do`)
			person.sees(`allow\?`)
			person.types("y")
			person.sees(`It is in notes\.md\.`)
		}
		person.sees(`done-0\r`)
	}
	took := time.Since(began)
	t.Logf("from the archive to the first answer: %v", took.Round(time.Millisecond))
	if took > firstStartLimit {
		t.Errorf("the first start took %v, more than %v", took, firstStartLimit)
	}
	notes, err := os.ReadFile(filepath.Join(home, "bridge", "notes.md"))
	if err != nil || string(notes) != "# What I can do\n" {
		t.Errorf("notes.md has %q, %v", notes, err)
	}
}

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// lines are the commands of the first block in a section of docs/install.md.
func lines(t *testing.T, section string) []string {
	t.Helper()
	page, err := os.ReadFile("../docs/install.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "\n## "+section+"\n")
	block := shellBlock.FindStringSubmatch(text)
	if block == nil {
		t.Fatalf("docs/install.md has no commands in %q", section)
	}
	var all []string
	for line := range strings.Lines(block[1]) {
		line, _, _ = strings.Cut(line, "   #")
		all = append(all, strings.TrimSpace(line))
	}
	return all
}

// terminal is a shell on a terminal of its own.
type terminal struct {
	t  *testing.T
	in io.Writer

	mu   sync.Mutex
	cond *sync.Cond
	seen string
	over bool
}

func atTerminal(t *testing.T, home string, env ...string) *terminal {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "script", "--quiet", "--return", "--flush", "--command", "bash --norc --noprofile", "/dev/null")
	cmd.Dir = home
	cmd.Env = append([]string{
		"HOME=" + home, "PATH=/usr/bin:/bin", "TERM=xterm", "SHELL=/bin/bash", "HISTFILE=", `PROMPT_COMMAND=echo done-$?`, "PS1=$ ",
	}, env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, in: in}
	x.cond = sync.NewCond(&x.mu)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 4096)
		for {
			n, err := out.Read(buf)
			x.mu.Lock()
			x.seen += string(buf[:n])
			x.over = err != nil
			x.cond.Broadcast()
			x.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_, _ = io.WriteString(in, "exit\n") // it ends by itself, or has ended
		<-read
		_ = cmd.Wait()
	})
	x.sees(`done-0\r`)
	return x
}

func (x *terminal) types(line string) {
	x.t.Helper()
	if _, err := io.WriteString(x.in, line+"\n"); err != nil {
		x.t.Fatal(err)
	}
}

// sees waits until the terminal shows something new, and forgets what was before.
func (x *terminal) sees(want string) {
	x.t.Helper()
	pattern := regexp.MustCompile(want)
	late := time.AfterFunc(firstStartLimit, func() {
		x.mu.Lock()
		x.over = true
		x.cond.Broadcast()
		x.mu.Unlock()
	})
	defer late.Stop()
	x.mu.Lock()
	defer x.mu.Unlock()
	for {
		if at := pattern.FindStringIndex(x.seen); at != nil {
			x.seen = x.seen[at[1]:]
			return
		}
		if x.over {
			x.t.Fatalf("the terminal does not show %s, but\n%s", want, x.seen)
		}
		x.cond.Wait()
	}
}

// answer is a provider that writes a file when it has the tools for that, and says so then.
func answer(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // of what cannot be read it makes an answer too
	asked := string(body)
	if r.Method == http.MethodGet {
		_, _ = io.WriteString(w, `{"data":[]}`)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	block, delta, reason := `{"type":"text","text":""}`, `{"type":"text_delta","text":"It is in notes.md."}`, "end_turn"
	if strings.Contains(asked, `"name":"write"`) && !strings.Contains(asked, `"tool_result"`) {
		block = `{"type":"tool_use","id":"toolu_1","name":"write","input":{}}`
		delta = `{"type":"input_json_delta","partial_json":"{\"path\":\"notes.md\",\"content\":\"# What I can do\\n\"}"}`
		reason = "tool_use"
	}
	for _, e := range [][2]string{
		{"message_start", `"message":{"usage":{"input_tokens":1,"output_tokens":1}}`},
		{"content_block_start", `"index":0,"content_block":` + block},
		{"content_block_delta", `"index":0,"delta":` + delta},
		{"content_block_stop", `"index":0`},
		{"message_delta", `"delta":{"stop_reason":"` + reason + `"},"usage":{"output_tokens":16}`},
		{"message_stop", `"index":0`},
	} {
		_, _ = fmt.Fprintf(w, "event: %s\ndata: {\"type\":%q,%s}\n\n", e[0], e[0], e[1])
	}
}
