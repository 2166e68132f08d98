// Command gen draws the binary files of the example project: the site plan as a
// PNG and the brief as a PDF. Both come out the same on every machine, so a test
// can tell when the files and their source have drifted apart.
//
//	go run ./examples/gen examples/project
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen PROJECT_FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	plan, err := SitePlan()
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		"drawings/site-plan.png": plan,
		"documents/brief.pdf":    Brief(),
	} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
