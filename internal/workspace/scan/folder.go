package scan

import (
	"encoding/binary"
	"hash/fnv"
	"strings"

	"belay/internal/workspace/dir"
	"belay/internal/workspace/layout"
)

// Place is where a deliverable's folder is.
type Place string

// The places. Only what is directly in a package's 1_Working is worked on.
const (
	Working  Place = "working"
	Archived Place = "archive"
	Checking Place = "checking"
	Issued   Place = "issued"
	// Derived is in a tool root, with what was made from deliverables.
	Derived   Place = "derived"
	Elsewhere Place = "elsewhere"
)

// UnknownPackage stands for the package of a folder that is in none
// (compatible contract, 8.4).
const UnknownPackage = "UNKNOWN_PACKAGE"

// Unknown is the state of a deliverable whose _STATUS.md is missing, is not
// readable, or names a state that the specification does not have.
const Unknown = "unknown"

// Folder is the folder of a deliverable or of a knowledge type.
type Folder struct {
	Kind layout.Kind
	// ID is "DEL-01-02", Name what follows it with underlines as blanks, or the id
	// where nothing does.
	ID, Name string
	// Package is the whole name of the package's folder, or [UnknownPackage].
	Package string
	Path    string
	Place   Place
	// Status is the state in lower case, "in_progress", or [Unknown]. Recorded is
	// then what the file says, as far as it says anything.
	Status, Recorded string
	// Files are those that it has as regular files, Odd those of whose names it has
	// something else: a link, a folder, a pipe.
	Files, Odd Files
	// Unreadable is set where the folder could not be listed: nothing is known of
	// its files.
	Unreadable bool
	// Stamp changes when one of Files does, by size and time; 0 where nobody asked
	// for it.
	Stamp uint64

	// packagePath is the folder of Package, "" when there is none. foreignTo is the
	// folder of the project that it belongs to where that is inside this one.
	packagePath, foreignTo string
}

// Key is the compatible contract's name for a deliverable: the package's folder
// and the id.
func (f *Folder) Key() string { return f.Package + "::" + f.ID }

// PackageID is the id of the package that the folder is in, "" for none.
func (f *Folder) PackageID() string { return layout.ParseName(f.Package).ID }

// Base is the last part of the path.
func (f *Folder) Base() string { return f.Path[strings.LastIndexByte(f.Path, '/')+1:] }

// Files is a set of the files that a deliverable can have (workspace 2.1).
type Files uint16

// The files.
const (
	Status Files = 1 << iota
	Context
	Dependencies
	References
	Register
	Memory
	Semantic
	Lensing
	Datasheet
	Specification
	Guidance
	Procedure
	// AgentMemory is _MEMORY.md, which must not exist.
	AgentMemory
)

// DocumentKit are the documents of an initialized deliverable.
const DocumentKit = Datasheet | Specification | Guidance | Procedure

// fileNames are the names of the files, in the order of their bits.
var fileNames = [...]string{
	layout.StatusFile, layout.ContextFile, layout.DependenciesFile, layout.ReferencesFile, layout.RegisterFile, layout.MemoryFile,
	layout.SemanticFile, layout.LensingFile, "Datasheet.md", "Specification.md", "Guidance.md", "Procedure.md", layout.AgentMemoryFile,
}

// Has reports whether all of want are in f.
func (f Files) Has(want Files) bool { return f&want == want }

// HasAny reports whether one of want is in f.
func (f Files) HasAny(want Files) bool { return f&want != 0 }

// stamp is [Folder.Stamp] of the files in an open folder.
func stamp(d dir.Dir, files Files) uint64 {
	hash := fnv.New64a()
	var fields [24]byte
	for i, name := range fileNames {
		if files&(1<<i) == 0 {
			continue
		}
		_, size, modified := d.Stat(name)
		binary.LittleEndian.PutUint64(fields[:], uint64(i))
		binary.LittleEndian.PutUint64(fields[8:], uint64(size))
		binary.LittleEndian.PutUint64(fields[16:], uint64(modified))
		hash.Write(fields[:])
	}
	return hash.Sum64()
}

// Names are the names of the files in f, in the order of workspace 2.1.
func (f Files) Names() []string {
	var all []string
	for i, name := range fileNames {
		if f&(1<<i) != 0 {
			all = append(all, name)
		}
	}
	return all
}

// fileBit is the bit of a file's name, 0 for other files. It does not allocate.
func fileBit(name []byte) Files {
	switch string(name) {
	case layout.StatusFile:
		return Status
	case layout.ContextFile:
		return Context
	case layout.DependenciesFile:
		return Dependencies
	case layout.ReferencesFile:
		return References
	case layout.RegisterFile:
		return Register
	case layout.MemoryFile:
		return Memory
	case layout.SemanticFile:
		return Semantic
	case layout.LensingFile:
		return Lensing
	case "Datasheet.md":
		return Datasheet
	case "Specification.md":
		return Specification
	case "Guidance.md":
		return Guidance
	case "Procedure.md":
		return Procedure
	case layout.AgentMemoryFile:
		return AgentMemory
	}
	return 0
}
