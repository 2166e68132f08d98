package view

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/workspace"
	"belay/internal/workspace/document"
	"belay/internal/workspace/scan"
)

// Document is a file of a deliverable in a list.
type Document struct {
	// Name is relative to the deliverable's folder, with slashes; Path to the project.
	Name string `json:"name"`
	Path string `json:"path"`
	// Title is the first heading of a Markdown file, "" where there is none.
	Title    string    `json:"title,omitempty"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
}

// The bounds of a list of documents.
const (
	maxDocuments = 500
	maxDepth     = 6
	// maxTitle is how many bytes of a file are read to find its title.
	maxTitle = 4 << 10
)

// Documents lists the regular files in a folder of a project and below it, the folder's own
// files first. It follows no link and leaves out what [Tree] does. More reports whether
// there are others than the 500 that are listed.
func Documents(ctx context.Context, project, folder string, hidden func(rel string) bool) (all []Document, more bool, err error) {
	if folder == "" || !filepath.IsLocal(filepath.FromSlash(folder)) || hides(hidden, folder) {
		return nil, false, notFound(folder, "folder", nil)
	}
	top, err := workspace.OpenProject(project)
	if err != nil {
		return nil, false, err
	}
	defer top.Close()
	root, err := top.OpenRoot(filepath.FromSlash(folder))
	if err != nil {
		return nil, false, notFound(folder, "folder", err)
	}
	defer root.Close()
	todo := []string{"."}
	for len(todo) > 0 {
		in := todo[0]
		todo = todo[1:]
		entries, err := fs.ReadDir(root.FS(), in)
		if err != nil && in == "." {
			return nil, false, notFound(folder, "folder", err)
		}
		for _, e := range entries {
			name := path.Join(in, e.Name())
			switch {
			case ctx.Err() != nil:
				return nil, false, context.Cause(ctx)
			case scan.LeavesOut(e.Name()), hides(hidden, path.Join(folder, name)):
				continue
			case e.IsDir():
				if more = more || strings.Count(name, "/") >= maxDepth; !more {
					todo = append(todo, name)
				}
				continue
			case !e.Type().IsRegular():
				continue
			case len(all) == maxDocuments:
				return all, true, nil
			}
			if info, err := e.Info(); err == nil {
				all = append(all, Document{Name: name, Path: path.Join(folder, name), Title: titleOf(root, name), Size: info.Size(), Modified: info.ModTime().UTC().Truncate(time.Millisecond)})
			}
		}
	}
	return all, more, nil
}

// titleOf is the first heading of a Markdown file, "" where it has none at its beginning.
func titleOf(root *os.Root, name string) string {
	if !strings.EqualFold(path.Ext(name), ".md") {
		return ""
	}
	f, _, err := durable.OpenRegular(root, filepath.FromSlash(name))
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, maxTitle)
	n, _ := f.Read(head) // what there is
	head = head[:n]
	if n == maxTitle { // not half of a line
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	if all := document.Parse(head).Headings(); len(all) > 0 {
		return cut(strings.ToValidUTF8(all[0].Text, "\uFFFD"))
	}
	return ""
}

// cut shortens a title to what a list shows.
func cut(s string) string {
	const most = 200
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return s
}
