package persona

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"belay/internal/durable"
)

// notesFile is the project's own word to every agent that works in it.
const notesFile = "AGENTS.md"

// ProjectNotes reads the AGENTS.md of a project, at most limit bytes of it; a
// longer file is cut at the end of a line. The source names the bytes that were
// used. ok is false when the project has no such file. A file that exists but is
// not a regular, readable file inside the project is an error. Bytes that are
// not UTF-8 are replaced in text.
//
// The text comes from the project, not from the operator: the caller presents it
// as such and after the persona's instructions.
func ProjectNotes(projectRoot string, limit int64) (text string, source Source, ok bool, err error) {
	// Every turn asks, and many projects have none.
	if _, err := os.Lstat(filepath.Join(projectRoot, notesFile)); errors.Is(err, fs.ErrNotExist) {
		return "", Source{}, false, nil
	}
	root, err := os.OpenRoot(projectRoot)
	if err != nil {
		return "", Source{}, false, fmt.Errorf("open the project: %w", err)
	}
	defer root.Close()
	f, _, err := durable.OpenRegular(root, notesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", Source{}, false, nil
	}
	if err != nil {
		if info, lerr := root.Lstat(notesFile); lerr == nil && info.Mode()&fs.ModeSymlink != 0 {
			if _, serr := os.Stat(filepath.Join(projectRoot, notesFile)); serr == nil {
				return "", Source{}, false, fmt.Errorf("the project's %s is a link that leads out of the project", notesFile)
			}
		}
		return "", Source{}, false, fmt.Errorf("read the project's %s: %w", notesFile, err)
	}
	defer f.Close()
	text, source, err = readNotes(f, filepath.Join(projectRoot, notesFile), limit)
	if err != nil {
		return "", Source{}, false, fmt.Errorf("read the project's %s: %w", notesFile, err)
	}
	return text, source, true, nil
}

// OwnNotes reads the AGENTS.md in the user's folder for configuration: what the
// user says to every agent, in every project. It is read as [ProjectNotes] reads
// that of a project, but it may be a link to a file anywhere. An empty folder has
// none.
func OwnNotes(folder string, limit int64) (text string, source Source, ok bool, err error) {
	if folder == "" {
		return "", Source{}, false, nil
	}
	path := filepath.Join(folder, notesFile)
	f, _, err := durable.OpenRegular(nil, path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", Source{}, false, nil
	}
	if err != nil {
		return "", Source{}, false, fmt.Errorf("read your own %s: %w", notesFile, err)
	}
	defer f.Close()
	if text, source, err = readNotes(f, path, limit); err != nil {
		return "", Source{}, false, fmt.Errorf("read your own %s: %w", notesFile, err)
	}
	return text, source, true, nil
}

// readNotes reads at most limit bytes of the notes at path.
func readNotes(r io.Reader, path string, limit int64) (text string, source Source, err error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return "", Source{}, err
	}
	cut := int64(len(data)) > limit
	if cut {
		data = data[:cutAt(data, int(limit))]
	}
	sum := sha256.Sum256(data)
	source = Source{Path: path, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(data)), Cut: cut}
	return strings.ToValidUTF8(strings.TrimPrefix(string(data), "\uFEFF"), "\uFFFD"), source, nil
}

// cutAt returns where to cut data to at most limit bytes: after a line if that
// keeps at least half, else between two runes.
func cutAt(data []byte, limit int) int {
	for i := limit; i > limit/2; i-- {
		if data[i-1] == '\n' {
			return i
		}
	}
	for i := limit; i >= 0 && i > limit-utf8.UTFMax; i-- {
		if utf8.RuneStart(data[i]) {
			return i
		}
	}
	return limit
}
