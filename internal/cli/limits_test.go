package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"belay/internal/config"
	"belay/internal/event"
	"belay/internal/model"
)

// Every setting that an error, a hint or a help text names is one.
func TestNamedSettingsExist(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	var groups []string
	for _, s := range config.Reference() {
		known[s.Key] = true
		for i, c := range s.Key {
			if c == '.' {
				known[s.Key[:i]] = true
			}
		}
		if group, _, grouped := strings.Cut(s.Key, "."); grouped && !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
	}
	key := regexp.MustCompile(`(?:^|[^\w./$-])((?:` + strings.Join(groups, "|") + `)(?:\.[a-z][a-z0-9_]*)+)`)
	named, wrong := 0, []string(nil)
	for _, text := range sourceTexts(t, "..") {
		if !strings.Contains(text, " ") {
			continue // a name or a path, no sentence
		}
		for _, m := range key.FindAllStringSubmatch(text, -1) {
			if named++; !known[m[1]] && !isFile(m[1]) {
				wrong = append(wrong, m[1]+" in: "+text)
			}
		}
	}
	if diff := cmp.Diff([]string(nil), wrong); diff != "" {
		t.Errorf("settings that there are not (-want +got):\n%s", diff)
	}
	if named < 100 {
		t.Errorf("only %d settings were found in the source", named)
	}
}

// So is every flag, and every command that a sentence tells people to run.
func TestNamedCommandsExist(t *testing.T) {
	t.Parallel()
	root := newRoot(newConsole(strings.NewReader(""), io.Discard, io.Discard, nil))
	flags := map[string]bool{"help": true, "version": true, "config": true}
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
	for _, cmd := range tree(root) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
	}
	flag := regexp.MustCompile(`(?:^|[ (])--([a-z][a-z0-9-]+)`)
	command := regexp.MustCompile(`\b(?:run|with|see|write|or) belay ([a-z]+)(?: ([a-z]+))?`)
	named, wrong := 0, []string(nil)
	for _, dir := range []string{".", "../app", "../chat", "../fault", "../session", "../turn", "../workflow/run", "../workspace"} {
		for _, text := range sourceTexts(t, dir) {
			if !strings.Contains(text, " ") {
				continue // an argument of another program
			}
			for _, m := range flag.FindAllStringSubmatch(text, -1) {
				if named++; !flags[m[1]] && !strings.Contains(text, "git") {
					wrong = append(wrong, "--"+m[1]+" in: "+text)
				}
			}
			for _, m := range command.FindAllStringSubmatch(text, -1) {
				cmd, rest, err := root.Find(slices.DeleteFunc(m[1:], func(w string) bool { return w == "" }))
				if named++; err != nil || cmd == root || cmd.HasSubCommands() && len(rest) > 0 {
					wrong = append(wrong, m[0]+" in: "+text)
				}
			}
		}
	}
	if diff := cmp.Diff([]string(nil), wrong); diff != "" {
		t.Errorf("flags and commands that there are not (-want +got):\n%s", diff)
	}
	if named < 100 {
		t.Errorf("only %d were found in the source", named)
	}
}

// A turn that stopped at a limit can have met one of several: the next step names none
// that may not be the one.
func TestNextStepsAfterALimit(t *testing.T) {
	t.Parallel()
	const resume = "belay turn --session s"
	for reason, wrong := range map[model.StopReason][]string{
		// The tokens of a turn are a budget as well as its cost.
		model.StopBudget:    {"--max-cost", "max_cost_usd", "max_tokens"},
		model.StopMaxTokens: {"--max-cost", "--max-turns", "raise turn.max_tokens, or"},
		model.StopMaxTurns:  {"--max-cost", "max_tokens"},
	} {
		_, next := explainEnd(event.Exit{}, string(reason))
		for _, hint := range []string{stopHint(string(reason), resume), next} {
			for _, w := range wrong {
				if strings.Contains(hint, w) {
					t.Errorf("%s: %s", reason, hint)
				}
			}
		}
		if !strings.Contains(stopHint(string(reason), resume), resume) {
			t.Errorf("%s: the hint does not say how to go on", reason)
		}
	}
}

// isFile reports a name that is a file's.
func isFile(name string) bool {
	return slices.Contains([]string{".json", ".jsonl", ".yaml", ".csv", ".md", ".txt", ".txtar", ".token"}, filepath.Ext(name))
}

// sourceTexts are all texts in the program's source below dir.
func sourceTexts(t *testing.T, dir string) (texts []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, src, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil {
					texts = append(texts, s)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}
