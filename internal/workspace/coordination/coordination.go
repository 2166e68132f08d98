// Package coordination reads and records how a project is coordinated: the
// representation in _Coordination/_COORDINATION.md.
//
// The choice says how a team uses the graph of dependencies. It changes nothing about
// how dependencies are tracked. A reader never fails on a malformed file: [Read] says
// what is wrong with it. [Writer.Set] changes the value and nothing else of the file.
//
// Contract: workspace spec, section 13.
package coordination

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/changeset"
	"belay/internal/workspace/document"
	"belay/internal/workspace/layout"
)

// Mode is a representation, as scaffolding names it.
type Mode string

// The modes.
const (
	ScheduleFirst     Mode = "SCHEDULE_FIRST"
	DependencyTracked Mode = "DEPENDENCY_TRACKED"
	Hybrid            Mode = "HYBRID"
)

// words are the modes as the specification words them.
var words = map[Mode]string{ScheduleFirst: "Schedule-first", DependencyTracked: "Dependency-tracked", Hybrid: "Hybrid"}

// Words are the mode as the specification words it.
func (m Mode) Words() string { return words[m] }

// Modes are all of them, in the specification's order.
func Modes() []Mode { return []Mode{ScheduleFirst, DependencyTracked, Hybrid} }

// labels are those of the field, the specification's first.
var labels = []string{"Representation", "Coordination Representation", "Coordination Mode"}

// ParseMode reads a mode in any of the ways in which people write it; false for another
// word.
func ParseMode(text string) (Mode, bool) {
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
	for m, word := range words {
		if letters == strings.ToLower(strings.ReplaceAll(word, "-", "")) {
			return m, true
		}
	}
	return "", false
}

// Record is what a project says of its coordination.
type Record struct {
	// Path is the file's, relative to the project, with slashes.
	Path string `json:"path"`
	// Exists is set where there is a file, Mode where it names one that the specification has.
	Exists bool `json:"exists"`
	Mode   Mode `json:"mode,omitempty"`
	// Value is the field as it is written, Line where it is, from 1; 0 where there is none.
	Value string `json:"value,omitempty"`
	Line  int    `json:"line,omitempty"`
	// Problem says why there is no mode.
	Problem string `json:"problem,omitempty"`

	tag  string
	data []byte
}

// ETag is the entity tag of the file's content, with quotes; "" where there is no file.
func (r Record) ETag() string {
	if r.tag == "" {
		return ""
	}
	return `"` + r.tag + `"`
}

// MaxBytes is the longest file that is read.
const MaxBytes = 1 << 20

// Read reads a project's record. Project is an absolute path.
func Read(project string) (Record, error) {
	root, err := workspace.OpenProject(project)
	if err != nil {
		return Record{}, err
	}
	defer root.Close()
	return read(root)
}

func read(root *os.Root) (Record, error) {
	r := Record{Path: layout.CoordinationFile}
	folder, err := durable.OpenFolder(root, folderName)
	if err == nil {
		defer folder.Close()
		r.data, _, err = durable.ReadFile(folder, fileName, MaxBytes)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.Problem = "the project has no " + layout.CoordinationFile
		return r, nil
	case err != nil:
		return Record{}, fault.New(fault.WorkspaceFileReadFailed, "%s cannot be read", layout.CoordinationFile).With("path", layout.CoordinationFile).Because(err)
	}
	r.Exists, r.tag = true, changeset.Hash(r.data)
	d := document.Parse(r.data)
	if line := d.Conflict(); line > 0 {
		r.Problem = fmt.Sprintf("the file has a conflict of a merge that nobody has resolved, from line %d on", line)
		return r, nil
	}
	f, ok := d.Field(labels...)
	if !ok || f.Value == "" {
		r.Problem = "there is no field **Representation:**"
		return r, nil
	}
	r.Value, r.Line = f.Value, f.Line+1
	if r.Mode, ok = ParseMode(f.Value); !ok {
		r.Problem = "the representation is none of Schedule-first, Dependency-tracked and Hybrid"
	}
	return r, nil
}
