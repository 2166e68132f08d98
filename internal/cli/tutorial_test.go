package cli

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the transcript in docs/tutorial.md from a real run")

const tutorial = "../../docs/tutorial.md"

// shellSession is what the tutorial shows: what is typed, and what came of it.
var shellSession = regexp.MustCompile("(?s)```console\n(.*?)```")

// commandLines are what the tutorial shows, in order. %s is the session.
var commandLines = []string{
	`belay turn --attach drawings/site-plan.png --attach documents/brief.pdf --attach survey/levels.csv "What does the brief leave open?"`,
	`belay turn --session %s "And what did the survey find?"`,
	`belay session show %s`,
	`belay attach inspect documents/brief.pdf check`,
}

// The transcript in the tutorial is what belay really prints, but for ids, times
// and what follows from them.
func TestTutorial(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(tutorial)
	if err != nil {
		t.Fatal(err)
	}
	at := shellSession.FindSubmatchIndex(data)
	if at == nil {
		t.Fatal("tutorial.md has no console session")
	}
	played := play(t)
	if *update {
		page := string(data[:at[2]]) + played + string(data[at[3]:])
		if err := os.WriteFile(tutorial, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(timeless(played), timeless(string(data[at[2]:at[3]]))); diff != "" {
		t.Errorf("tutorial.md shows something else; run: make gen\n(-real +page)\n%s", diff)
	}
}

// play runs the commands in a copy of the example project.
func play(t *testing.T) string {
	t.Helper()
	belay, err := exec.LookPath("belay")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	project := filepath.Join(home, "project")
	if err := os.CopyFS(project, os.DirFS("../../examples/project")); err != nil {
		t.Fatal(err)
	}
	// Who ran the server on the example project has sessions in it.
	if err := os.RemoveAll(filepath.Join(project, ".belay")); err != nil {
		t.Fatal(err)
	}
	var shown strings.Builder
	shown.WriteString("$ cp -R examples/project ~/project && cd ~/project\n\n")
	session := ""
	for _, command := range commandLines {
		command = strings.ReplaceAll(command, "%s", session)
		cmd := exec.CommandContext(t.Context(), belay, words(command)[1:]...)
		cmd.Dir = project
		cmd.Env = []string{
			"HOME=" + home, "XDG_CONFIG_HOME=" + home + "/config", "XDG_STATE_HOME=" + home + "/state",
			"XDG_CACHE_HOME=" + home + "/cache", "BELAY_SCRIPTED_PACE=0", "TZ=UTC",
			"SYSTEMROOT=" + os.Getenv("SYSTEMROOT"),
		}
		// The exit code is part of what other tests check.
		out, _ := cmd.CombinedOutput()
		if session == "" {
			session = regexp.MustCompile(`sess_\S+`).FindString(string(out))
		}
		text := strings.ReplaceAll(string(out), home, "/home/you")
		fmt.Fprintf(&shown, "$ %s\n%s", command, text)
		if !strings.HasSuffix(text, "\n\n") {
			shown.WriteString("\n")
		}
	}
	return strings.TrimRight(shown.String(), "\n") + "\n"
}

// words splits a command line at spaces outside of quotes.
func words(line string) []string {
	var all []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			all = append(all, part)
			continue
		}
		all = append(all, strings.Fields(part)...)
	}
	return all
}

var changing = []struct {
	what *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`(sess|turn)_[0-9a-f-]{36}`), "${1}_ID"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`), "TIME"},
	{regexp.MustCompile(`[\d,]+ tokens in, [\d,]+ out.*`), "TOKENS"},
	{regexp.MustCompile(`size +\S+ KiB`), "size N"},
	{regexp.MustCompile(`≤ [\d,]+ +`), "≤ N "},
}

// timeless replaces what differs between two runs.
func timeless(s string) string {
	for _, c := range changing {
		s = c.what.ReplaceAllString(s, c.as)
	}
	return s
}
