// Package web holds the files of the page. They are embedded as they are in
// dist; package page serves them.
package web

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// Files returns the page's files, index.html at the top.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic("web: " + err.Error()) // the embedded folder has a fixed, valid name
	}
	return files
}
