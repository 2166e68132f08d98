package cli

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"belay/internal/config"
	"belay/internal/permit"
)

// pages are all pages for people that are written by hand, and their texts.
func pages(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../examples/*/README.md"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts[strings.TrimPrefix(name, "../../")] = string(data)
		}
	}
	delete(texts, "CHANGELOG.md") // it reports what there was
	return texts
}

// What the pages tell people to type are commands and flags that there are.
func TestDocumentedCommandsExist(t *testing.T) {
	t.Parallel()
	root := newRoot(newConsole(strings.NewReader(""), io.Discard, io.Discard, nil))
	block := regexp.MustCompile("(?ms)^```[a-z]*\n.*?^```")
	line := regexp.MustCompile(`(?m)^(?:\$ )?(belay [a-z][^\n#|]*)`)
	inline := regexp.MustCompile("`(belay [a-z][^`]*)`")
	inner := regexp.MustCompile(`\$\([^)]*\)`) // the output of another command
	var wrong, all []string
	for name, text := range pages(t) {
		text = inner.ReplaceAllString(strings.ReplaceAll(text, "\\\n", " "), "X")
		typed := inline.FindAllStringSubmatch(block.ReplaceAllString(text, ""), -1)
		for _, b := range block.FindAllString(text, -1) {
			typed = append(typed, line.FindAllStringSubmatch(b, -1)...)
		}
		for _, m := range typed {
			all = append(all, m[1])
			if why := notACommand(root, strings.Fields(m[1])[1:]); why != "" {
				wrong = append(wrong, name+": "+m[1]+": "+why)
			}
		}
	}
	slices.Sort(wrong)
	if diff := cmp.Diff([]string(nil), wrong); diff != "" {
		t.Errorf("commands that there are not (-want +got):\n%s", diff)
	}
	if len(all) < 200 {
		t.Errorf("only %d commands were found", len(all))
	}
}

// notACommand says which word of a command line means nothing.
func notACommand(root *cobra.Command, words []string) string {
	var names []string
	for _, w := range words {
		if !regexp.MustCompile(`^[a-z]+$`).MatchString(w) {
			break
		}
		names = append(names, w)
	}
	cmd, rest, err := root.Find(names)
	if err != nil || cmd == root || cmd.HasSubCommands() && len(rest) > 0 {
		return "no such command"
	}
	for _, w := range words {
		flag, _, _ := strings.Cut(strings.TrimRight(w, ".,;:)"), "=")
		name, long := strings.CutPrefix(flag, "--")
		if long && name != "" && name != "help" && cmd.Flag(name) == nil {
			return "no flag --" + name
		}
	}
	return ""
}

// The settings that they name are settings.
func TestDocumentedSettingsExist(t *testing.T) {
	t.Parallel()
	known, gone := map[string]bool{}, map[string]bool{}
	for _, c := range config.Constants() {
		gone[c.Key] = true
	}
	var groups []string
	for _, s := range config.Reference() {
		known[s.Key] = true
		if group, _, grouped := strings.Cut(s.Key, "."); grouped && !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
	}
	key := regexp.MustCompile("`((?:" + strings.Join(groups, "|") + ")\\.[a-z_.]+)[`:= ]")
	var wrong []string
	for name, text := range pages(t) {
		for _, m := range key.FindAllStringSubmatch(text, -1) {
			mcpTool := strings.HasPrefix(m[1], permit.MCPPrefix) && strings.Count(m[1], ".") == 2
			if !known[m[1]] && !mcpTool && !isFile(m[1]) && !(gone[m[1]] && name == "docs/configuration.md") { // its list of removed ones
				wrong = append(wrong, name+": "+m[1])
			}
		}
	}
	slices.Sort(wrong)
	if diff := cmp.Diff([]string(nil), slices.Compact(wrong)); diff != "" {
		t.Errorf("settings that there are not (-want +got):\n%s", diff)
	}
}
