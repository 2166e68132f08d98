// Command gen makes the binary files of the examples: the site plan and the brief of
// the project, and the pictures, documents, sound and film of the workflows. They
// come out the same on every machine, so a test can tell when the files and their
// source have drifted apart.
//
//	go run ./examples/gen examples
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen EXAMPLES_FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	all, err := files()
	if err != nil {
		return err
	}
	for name, data := range all {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// files are all that is made, by their path in examples.
func files() (map[string][]byte, error) {
	plan, err := SitePlan()
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{
		"project/drawings/site-plan.png":        plan,
		"project/documents/brief.pdf":           Brief(),
		"workflows/documents/offer-timber.pdf":  document(timber),
		"workflows/documents/offer-steel.pdf":   document(steel),
		"workflows/documents/minutes-4-may.pdf": document(minutes),
		"workflows/media/tone.wav":              Tone(),
		"workflows/media/ball.mov":              Film(),
	}
	for name, shape := range shapes {
		if all["workflows/pictures/"+name+".png"], err = shape.picture(); err != nil {
			return nil, err
		}
	}
	return all, nil
}
