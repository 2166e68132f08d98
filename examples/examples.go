// Package examples is what somebody new can try belay on. The programs beside it
// make or use the same files.
package examples

import (
	"embed"
	"io/fs"
)

// What runs leave in the project's .belay is no part of the example.
//
//go:embed all:project/[A-Z_a-z]*
var files embed.FS

// Project is the example project, a small execution root.
func Project() fs.FS {
	project, err := fs.Sub(files, "project")
	if err != nil {
		panic(err) // the name is a constant
	}
	return project
}
