package cli

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// withoutJSON are the commands that have no --json, and why.
var withoutJSON = map[string]string{
	"belay chat":            "a conversation; without a terminal its answers are the output, and belay turn --json has events",
	"belay completion":      "prints a script",
	"belay config schema":   "prints JSON already",
	"belay workflow schema": "prints JSON already",
	"belay discord":         "runs until it is stopped, and prints log lines: telemetry.log_format makes them JSON",
	"belay help":            "help",
}

// every calls f with each command that does something, by its path.
func every(cmd *cobra.Command, f func(path string, cmd *cobra.Command)) {
	if !cmd.HasSubCommands() || cmd.Flag("json") != nil {
		f(cmd.CommandPath(), cmd)
	}
	for _, child := range cmd.Commands() {
		every(child, f)
	}
}

func commandTree() *cobra.Command {
	return newRoot(newConsole(strings.NewReader(""), io.Discard, io.Discard, nil))
}

// Programs read what each command did; people switch colour and notes off at each.
func TestFlagsOfEveryCommand(t *testing.T) {
	t.Parallel()
	seen := 0
	every(commandTree(), func(path string, cmd *cobra.Command) {
		seen++
		if why := withoutJSON[path]; (cmd.Flag("json") == nil) != (why != "") {
			t.Errorf("%s: --json: %v, and the reason to go without is %q", path, cmd.Flag("json") != nil, why)
		}
		for _, name := range []string{"quiet", "color", "config"} {
			if cmd.Flag(name) == nil && cmd.InheritedFlags().Lookup(name) == nil {
				t.Errorf("%s has no --%s", path, name)
			}
		}
		if cmd.Flag("project") != nil && strings.HasSuffix(cmd.Use, " [DIR]") {
			t.Errorf("%s names the project in two ways: %s", path, cmd.Use)
		}
	})
	if seen < 60 {
		t.Errorf("only %d commands were found", seen)
	}
}

// lists are the commands that list something, beside those that are called so.
var lists = []string{"belay projects", "belay devices", "belay deps proposals", "belay session search", "belay project validate", "belay deps lint"}

// Each command that lists takes a part of its list, by flags of one name.
func TestEveryListHasPages(t *testing.T) {
	t.Parallel()
	wanted := map[string]bool{}
	for _, path := range lists {
		wanted[path] = true
	}
	every(commandTree(), func(path string, cmd *cobra.Command) {
		if cmd.Name() != "list" && !wanted[path] {
			if cmd.Flag("cursor") != nil {
				t.Errorf("%s has pages: name it in this test", path)
			}
			return
		}
		delete(wanted, path)
		for _, name := range []string{"limit", "cursor", "json"} {
			if cmd.Flag(name) == nil {
				t.Errorf("%s has no --%s", path, name)
			}
		}
		if cmd.Name() == "list" && !cmd.HasAlias("ls") {
			t.Errorf("%s has no alias ls", path)
		}
		for _, args := range [][]string{{"--limit", "-1"}, {"--limit", "x"}, {"--cursor", "rubbish", "--limit", "1"}} {
			line := append(strings.Fields(path)[1:], args...)
			if strings.Contains(cmd.Use, "TEXT") {
				line = append(line, "word")
			}
			if cmd.Flag("sarif") != nil {
				line = append(line, "--json")
			}
			var errs bytes.Buffer
			if path == "belay devices" {
				continue // it asks a server first
			}
			code := Run(t.Context(), line, strings.NewReader(""), io.Discard, &errs, []string{"HOME=" + t.TempDir(), "XDG_STATE_HOME=" + t.TempDir(), "XDG_CACHE_HOME=" + t.TempDir(), "XDG_CONFIG_HOME=" + t.TempDir()})
			if code != ExitUsage || !strings.Contains(errs.String(), "error: ") || !strings.Contains(errs.String(), "hint: ") {
				t.Errorf("belay %s: exit code %d\n%s", strings.Join(line, " "), code, &errs)
			}
		}
	})
	for path := range wanted {
		t.Errorf("there is no %s", path)
	}
}

// A page begins after the last element of the one before, also where the list has changed.
func TestPages(t *testing.T) {
	t.Parallel()
	id := func(s string) string { return s }
	all := strings.Split("a b c d e", " ")
	p := &paging{limit: 2}
	var got []string
	for {
		page, left, err := pageOf(p, all, id)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, page...)
		if left.More == 0 {
			break
		}
		p.cursor = left.NextCursor
	}
	if strings.Join(got, " ") != "a b c d e" {
		t.Errorf("the pages have %q", got)
	}
	first, left, _ := pageOf(&paging{limit: 2}, all, id)
	next, _, err := pageOf(&paging{limit: 2, cursor: left.NextCursor}, append([]string{"new"}, all...), id)
	if err != nil || next[0] != "c" {
		t.Errorf("after %q and something new comes %q, %v", first, next, err)
	}
	next, _, err = pageOf(&paging{limit: 2, cursor: left.NextCursor}, strings.Split("a c d e", " "), id)
	if err != nil || next[0] != "d" { // b is gone: its place counts
		t.Errorf("after %q, one of them gone, comes %q, %v", first, next, err)
	}
	if _, left, _ := pageOf(&paging{cursor: left.NextCursor}, []string{}, id); left.More != 0 {
		t.Errorf("an empty list has more: %+v", left)
	}
}
