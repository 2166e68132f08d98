package session

import (
	"fmt"
	"os"
)

// Problem is something in a session's files that is not as it should be. Nothing
// is ever repaired by dropping it: the file stays as it is.
type Problem struct {
	// File is relative to the session's folder.
	File string `json:"file"`
	Text string `json:"problem"`
}

// Upkeep checks the files of sessions and removes what is not needed any more.
type Upkeep struct{ store *Store }

// examineFolder reads the transcript and the log in a session's folder, and says which lines are
// left out. It calls each for every entry of the transcript, and newer for a file of a later version.
func examineFolder(root *os.Root, each func(Entry), newer func(error)) ([]Problem, error) {
	problems, err := examineLines(root, fileTranscript, func(b []byte) error {
		if line, ok := parseSessionLine(b); ok {
			return later(fileTranscript, line.V, newer)
		}
		e, err := parseEntry(b)
		if err == nil {
			each(e)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	numbers, err := listSegments(root)
	if err != nil {
		return nil, err
	}
	for _, n := range numbers {
		found, err := examineLines(root, segmentName(n), func(b []byte) error {
			if h, ok := parseHeader(b); ok {
				return later(segmentName(n), h.V, newer)
			}
			_, err := parseEvent(b)
			return err
		})
		if err != nil {
			return nil, err
		}
		problems = append(problems, found...)
	}
	return problems, nil
}

// later reports a file of a later version. The error is nil for one of this or an earlier version.
func later(file string, version int, report func(error)) error {
	if version <= formatVersion {
		return nil
	}
	err := newer(file, version)
	report(err)
	return err
}

// examineLines applies check to every line of a file. A missing file has none.
func examineLines(root *os.Root, name string, check func([]byte) error) ([]Problem, error) {
	var (
		problems []Problem
		line     int
	)
	err := scanFile(root, name, func(b []byte, _ int64) error {
		line++
		if err := check(b); err != nil {
			problems = append(problems, Problem{name, fmt.Sprintf("line %d is left out: %v", line, err)})
		}
		if len(problems) >= maxProblems {
			return errStop
		}
		return nil
	})
	return problems, err
}

// maxProblems bounds what is reported about one file.
const maxProblems = 100
