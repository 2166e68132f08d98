package test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// firstName is a comment's first word.
var firstName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*\b`)

// A comment on a function or a type that begins with a name begins with the name of what it
// describes: its first word is neither another one in lower case nor the name in another case.
// After a rename it would mislead.
func TestCommentsNameWhatTheyDescribe(t *testing.T) {
	t.Parallel()
	files := token.NewFileSet()
	check := func(doc *ast.CommentGroup, name string) {
		first := firstName.FindString(doc.Text())
		if first == "" || first == name || strings.HasPrefix(name, "Test") {
			return
		}
		if first[0] >= 'a' || strings.EqualFold(first, name) {
			t.Errorf("%s: the comment on %s begins with %q", files.Position(doc.Pos()), name, first)
		}
	}
	for _, dir := range []string{"internal", "cmd", "test", "bench", "docs", "release", "examples"} {
		must(t, filepath.WalkDir(filepath.Join("..", dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			file, err := parser.ParseFile(files, path, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			for _, declared := range file.Decls {
				switch d := declared.(type) {
				case *ast.FuncDecl:
					check(d.Doc, d.Name.Name)
				case *ast.GenDecl:
					for _, s := range d.Specs {
						if s, ok := s.(*ast.TypeSpec); ok && s.Doc != nil {
							check(s.Doc, s.Name.Name)
						} else if ok && len(d.Specs) == 1 {
							check(d.Doc, s.Name.Name)
						}
					}
				}
			}
			return nil
		}))
	}
}
