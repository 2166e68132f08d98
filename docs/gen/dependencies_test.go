package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const repository = "../.."

// Every module that the code imports has a row in docs/dependencies.md with its
// version, and every row is of one that it imports.
func TestDependenciesAreListed(t *testing.T) {
	t.Parallel()
	want := imported(t, versions(t))
	page, err := os.ReadFile(filepath.Join(repository, "docs", "dependencies.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+/[^`]+)` \\| (v\\S+) \\|").FindAllStringSubmatch(string(page), -1) {
		listed[m[1]] = m[2]
	}
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("docs/dependencies.md (-imported +listed)\n%s", diff)
	}
}

// versions reads the modules of go.mod.
func versions(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(repository, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	modules := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^(?:require )?\s*(\S+\.\S+/?\S*) (v\S+)`).FindAllStringSubmatch(string(data), -1) {
		modules[m[1]] = m[2]
	}
	return modules
}

// imported returns the modules that some file of this repository imports.
func imported(t *testing.T, modules map[string]string) map[string]string {
	t.Helper()
	used := map[string]string{}
	err := filepath.WalkDir(repository, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "node_modules" || e.Name() == "bin" || strings.HasPrefix(e.Name(), ".") && path != repository) {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if module := owner(name, modules); module != "" {
				used[module] = modules[module]
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return used
}

// owner is the module with the longest name that a package can be in.
func owner(pkg string, modules map[string]string) string {
	best := ""
	for m := range modules {
		if (pkg == m || strings.HasPrefix(pkg, m+"/")) && len(m) > len(best) {
			best = m
		}
	}
	return best
}
