package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Every command of belay in the pages exists, knows its flags and takes so many arguments.
func TestCommandsOfThePages(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	commands, wrong := 0, []string(nil)
	for _, page := range append(pages, "../../README.md") {
		for _, words := range commandsOf(t, page) {
			commands++
			if err := accepts(words[1:]); err != nil {
				wrong = append(wrong, fmt.Sprintf("%s: %s: %v", filepath.Base(page), strings.Join(words, " "), err))
			}
		}
	}
	if diff := cmp.Diff([]string(nil), wrong); diff != "" {
		t.Errorf("commands that belay refuses (-want +got):\n%s", diff)
	}
	if commands < 100 {
		t.Errorf("only %d commands were found", commands)
	}
}

// commandsOf are the commands of belay in the shell blocks of a page, as words.
func commandsOf(t *testing.T, page string) (commands [][]string) {
	t.Helper()
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	expansion := &expand.Config{
		Env:       expand.ListEnviron("HOME=x"),
		CmdSubst:  func(w io.Writer, _ *syntax.CmdSubst) error { _, err := io.WriteString(w, "x"); return err },
		ProcSubst: func(*syntax.ProcSubst) (string, error) { return "x", nil },
	}
	for i, block := range strings.Split(string(data), "\n```") {
		text, is := strings.CutPrefix(block, "sh\n")
		if i%2 == 0 || !is {
			continue
		}
		file, err := syntax.NewParser().Parse(strings.NewReader(text), page)
		if err != nil {
			t.Fatalf("%v in:\n%s", err, text)
		}
		syntax.Walk(file, func(n syntax.Node) bool {
			if call, is := n.(*syntax.CallExpr); is && len(call.Args) > 0 && call.Args[0].Lit() == "belay" {
				words, err := expand.Fields(expansion, call.Args...)
				if err != nil {
					t.Fatalf("%v in:\n%s", err, text)
				}
				commands = append(commands, words)
			}
			return true
		})
	}
	return commands
}

// accepts is the error of words that no command takes.
func accepts(words []string) error {
	root := newRoot(newConsole(strings.NewReader(""), io.Discard, io.Discard, nil))
	cmd, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if cmd.HasSubCommands() && cmd.Flags().NArg() > 0 {
		return fmt.Errorf("%s has no command %s", cmd.CommandPath(), cmd.Flags().Arg(0))
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}
