package test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	testprogram "belay/test/program"
)

// source is a package of the program with its types, tests left out.
type source struct {
	*types.Package
	// uses are the objects that its files name, and where.
	uses map[*ast.Ident]types.Object
	set  *token.FileSet
}

// sources are the packages below internal and cmd. They are read once for all tests.
var sources = sync.OnceValues(func() ([]source, error) {
	cmd := testprogram.Go(context.Background(), "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles", "./internal/...", "./cmd/...")
	cmd.Dir, cmd.Stderr = "..", os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	c := newChecker()
	var all []source
	for d := json.NewDecoder(out); ; {
		var p struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		c.exports[p.ImportPath] = p.Export
		if !strings.HasPrefix(p.ImportPath, module+"/") {
			continue
		}
		var files []string // a package comes after those that it imports
		for _, name := range p.GoFiles {
			files = append(files, filepath.Join(p.Dir, name))
		}
		checked, err := c.check(p.ImportPath, files, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, checked)
	}
	return all, cmd.Wait()
})

// checker finds the types of packages from the compiled ones that they import.
type checker struct {
	exports map[string]string // the file of each import path
	set     *token.FileSet
	imports types.Importer
}

func newChecker() *checker {
	c := &checker{exports: map[string]string{}, set: token.NewFileSet()}
	c.imports = importer.ForCompiler(c.set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(c.exports[path]) })
	return c
}

// check reads the files of a package, or one file's text.
func (c *checker) check(path string, names []string, text any) (source, error) {
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(c.set, name, text, parser.SkipObjectResolution)
		if err != nil {
			return source{}, err
		}
		files = append(files, file)
	}
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	checked, err := (&types.Config{Importer: c.imports}).Check(path, c.set, files, &info)
	return source{checked, info.Uses, c.set}, err
}
