package persona

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"belay/internal/durable"
	"belay/internal/fault"
)

// MaxFileBytes is the largest instruction file that is read: more than any model
// could take as its instructions.
const MaxFileBytes = 1 << 20

// Root is an instruction root: a folder, or the embedded set. It holds no open
// file and needs no closing. It is safe for concurrent use.
type Root struct {
	path string // absolute; "" is the embedded set

	mu    sync.RWMutex
	files map[string]*document
}

// Open returns the instruction root at path, or the embedded set for a blank
// path. It does not look at the folder: [Root.Check] says whether it is valid,
// and every lookup asks Check first. It fails for a path that no folder can have.
func Open(path string) (*Root, error) {
	path = trim(path)
	r := &Root{files: map[string]*document{}}
	if path == "" {
		return r, nil
	}
	if strings.ContainsFunc(path, unicode.IsControl) {
		return nil, fmt.Errorf("instruction root %q: the path holds a control character", path)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("instruction root %q: %w", path, err)
	}
	r.path = abs
	return r, nil
}

// Path returns the absolute path of the root, or "" for the embedded set.
func (r *Root) Path() string { return r.path }

// name is how errors and manifests call the root.
func (r *Root) name() string {
	if r.path == "" {
		return "embedded"
	}
	return r.path
}

// entries are what a root must have, folders first, in the order in which the
// compatible contract (5.1) reports them.
var entries = []struct {
	name string
	dir  bool
}{
	{"agents", true}, {"docs", true},
	{"AGENTS.md", false}, {"README.md", false},
	{"docs/DIRECTIVE.md", false}, {"docs/CONTRACT.md", false}, {"docs/SPEC.md", false},
	{"docs/TYPES.md", false}, {"docs/PLAN.md", false},
}

// Check returns INSTRUCTION_ROOT_INVALID unless the root has every required
// folder and readable file. The details list entries of the wrong kind as
// invalidEntries and everything else as missingEntries.
func (r *Root) Check() error {
	if r.path == "" {
		return nil
	}
	missing, invalid := r.inspect()
	if len(missing)+len(invalid) == 0 {
		return nil
	}
	return fault.New(fault.InstructionRootInvalid, "%s", r.lack(append(missing[:len(missing):len(missing)], invalid...))).
		With("instructionRoot", r.path).With("missingEntries", missing).With("invalidEntries", invalid)
}

// lack says what is wrong with the root: the folder itself, or the entries that
// it has not.
func (r *Root) lack(names []string) string {
	switch info, err := os.Stat(r.path); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("the instruction root %s does not exist", r.path)
	case err == nil && !info.IsDir():
		return fmt.Sprintf("the instruction root %s is not a folder", r.path)
	}
	return fmt.Sprintf("the instruction root %s lacks what it needs: %s", r.path, strings.Join(names, ", "))
}

// inspect opens every required entry and sorts the faulty ones.
func (r *Root) inspect() (missing, invalid []string) {
	missing, invalid = []string{}, []string{}
	root, err := os.OpenRoot(r.path)
	if err != nil {
		for _, e := range entries {
			missing = append(missing, e.name)
		}
		return missing, invalid
	}
	defer root.Close()
	for _, e := range entries {
		switch err := probe(root, e.name, e.dir); {
		case errors.Is(err, errNotDir), errors.Is(err, durable.ErrNotRegular):
			invalid = append(invalid, e.name)
		case err != nil:
			missing = append(missing, e.name)
		}
	}
	return missing, invalid
}

var errNotDir = errors.New("not a folder")

// probe opens one entry the way it will be used.
func probe(root *os.Root, name string, dir bool) error {
	if !dir {
		f, _, err := durable.OpenRegular(root, name)
		if err != nil {
			return err
		}
		return f.Close()
	}
	info, err := root.Stat(name)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return errNotDir
	}
	// Traversable means that "." inside it resolves; readable, that it lists.
	if _, err := root.Stat(name + "/."); err != nil {
		return err
	}
	d, err := root.Open(name)
	if err != nil {
		return err
	}
	return d.Close()
}

// stat follows links and is used only to notice changes; content is read
// through os.Root.
func (r *Root) stat(name string) (fs.FileInfo, error) {
	if r.path == "" {
		return fs.Stat(embedded, embeddedDir+"/"+name)
	}
	return os.Stat(r.path + string(filepath.Separator) + filepath.FromSlash(name))
}

// load returns the parsed file, from memory while its stat is unchanged.
func (r *Root) load(name string) (*document, error) {
	info, err := r.stat(name)
	if err != nil {
		return nil, err
	}
	r.mu.RLock()
	d := r.files[name]
	r.mu.RUnlock()
	if d != nil && d.current(info) {
		return d, nil
	}
	if d, err = r.read(name); err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.files[name] = d
	r.mu.Unlock()
	return d, nil
}

// read parses a file from the disk or from the embedded set.
func (r *Root) read(name string) (*document, error) {
	if r.path == "" {
		data, err := embedded.ReadFile(embeddedDir + "/" + name)
		if err != nil {
			return nil, err
		}
		return parse(name, "embedded:"+name, data), nil
	}
	root, err := os.OpenRoot(r.path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := spelled(root, name); err != nil {
		return nil, err
	}
	now := time.Now()
	data, info, err := durable.ReadFile(root, name, MaxFileBytes)
	if err != nil {
		return nil, err
	}
	d := parse(name, filepath.Join(r.path, filepath.FromSlash(name)), data)
	d.info = info
	// A file that changed a moment ago may change again without a new time:
	// clocks of file systems are coarse. Such a file is read again next time.
	d.settled = now.Sub(info.ModTime()) > settle
	return d, nil
}

// settle is the coarsest file time that is in use (FAT).
const settle = 2 * time.Second

// spelled refuses a name that only a case-insensitive file system finds, so that
// a persona has the same identity everywhere.
func spelled(root *os.Root, name string) error {
	dir, base := filepath.Split(filepath.FromSlash(name))
	dir = cmp.Or(dir, ".")
	names, err := listDir(root, filepath.Clean(dir))
	if err != nil || slices.Contains(names, base) {
		return err
	}
	return fmt.Errorf("%s: %w", name, fs.ErrNotExist)
}
