package cli

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
)

// wireWords are words of the HTTP contract, which mean nothing on a command line.
var wireWords = regexp.MustCompile(`\b(projectRoot|sessionId|turnId|decisionId|deliverablePath|runId|toolRoot|executionRoot|approvalSha|decompositionPath|coordinationMode|projectName)\b|opts\.\w+|details\.\w+|/api/|/openapi|endpoint|named field|the request again|Authorization|Allow header`)

// The next step of every type of error is one that a person at a terminal can take.
func TestStepsAreForTheCommandLine(t *testing.T) {
	t.Parallel()
	var wrong []string
	for _, spec := range fault.Types() {
		_, _, hint, _ := explain(nil, fault.New(spec.Type, "something is wrong"))
		if hint == "" || wireWords.MatchString(hint) {
			wrong = append(wrong, string(spec.Type)+": "+hint)
		}
	}
	if diff := cmp.Diff([]string(nil), wrong); diff != "" {
		t.Errorf("next steps in the words of HTTP (-want +got):\n%s", diff)
	}
}

// So are the messages and hints of the packages that commands call. What only a
// request can bring about has its words in package api.
func TestFaultsAreForTheCommandLine(t *testing.T) {
	t.Parallel()
	var wrong []string
	for _, text := range faultTexts(t, "..") {
		if said := flagWords.Replace(text); wireWords.MatchString(said) {
			wrong = append(wrong, said)
		}
	}
	if diff := cmp.Diff([]string(nil), wrong); diff != "" {
		t.Errorf("messages in the words of HTTP (-want +got):\n%s", diff)
	}
}

// Names of files are no words of the contract.
func TestPathsKeepTheirNames(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"projectRoot does not exist: /a/projectRoot/x":  "the project folder does not exist: /a/projectRoot/x",
		"opts.maxTurns must be a positive integer":      "--max-turns must be a positive integer",
		"sessionId.csv: not found (sessionId, runIds)":  "sessionId.csv: not found (the session, runIds)",
		"(opts.maxTokens, turn.max_tokens, or its own)": "(turn.max_tokens, or its own)",
	} {
		if got := flagWords.Replace(said); got != want {
			t.Errorf("%q became %q, want %q", said, got, want)
		}
	}
}

// faultTexts are the formats of all faults, hints and problems in the source below
// dir, but for those of package api, in their order.
func faultTexts(t *testing.T, dir string) (texts []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "api"):
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
			texts = append(texts, textsOf(n)...)
			return true
		})
		return nil
	})
	if err == nil && len(texts) < 300 {
		err = errors.New("hardly any fault was found: " + strconv.Itoa(len(texts)))
	}
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// textsOf are the texts of one call that makes a fault.
func textsOf(n ast.Node) (texts []string) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return nil
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains([]string{"New", "WithHint", "refuse", "refused"}, f.Sel.Name) {
		return nil
	}
	if owner, ok := f.X.(*ast.Ident); f.Sel.Name == "New" && (!ok || owner.Name != "fault") {
		return nil
	}
	for _, arg := range call.Args {
		ast.Inspect(arg, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil {
					texts = append(texts, s)
				}
			}
			_, nested := n.(*ast.CallExpr)
			return !nested
		})
	}
	return texts
}
