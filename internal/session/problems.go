package session

import (
	"context"
	"fmt"
	"os"
)

// Problem is something in a session's files that is not as it should be. Nothing
// is ever repaired by dropping it: the file stays as it is.
type Problem struct {
	Session string `json:"sessionId"`
	// File is relative to the session's folder.
	File string `json:"file"`
	Text string `json:"problem"`
}

// Upkeep checks the files of sessions and removes what is not needed any more.
type Upkeep struct{ store *Store }

// Problems reads all of a project's session files and says what is wrong with
// them: records that are left out of [Store.List], and lines that are left out
// of transcripts and logs.
func (s *Upkeep) Problems(ctx context.Context, projectRoot string) ([]Problem, error) {
	project, err := checkRoot(projectRoot)
	if err != nil {
		return nil, err
	}
	ids, err := s.store.paths.folders(project)
	if err != nil {
		return nil, storage("the project's sessions cannot be listed", err)
	}
	recs, problems, err := s.store.lists.survey(ctx, project, ids)
	if err != nil {
		return nil, err
	}
	for _, rec := range recs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		found, err := s.examine(s.store.paths.pathIn(rec.ProjectRoot, rec.SessionID), rec.SessionID)
		if missing(err) {
			continue // deleted meanwhile
		}
		if err != nil {
			return nil, storage("a session's files cannot be read", err)
		}
		problems = append(problems, found...)
	}
	return problems, nil
}

// examine reads the transcript and the log of one session.
func (s *Upkeep) examine(p sessionPath, id string) ([]Problem, error) {
	root, err := p.open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }()
	return examineFolder(root, id, func(Entry) {}, func(error) {})
}

// examineFolder reads them in a session's folder. Each is told every entry of the transcript, and
// newer what a later version wrote.
func examineFolder(root *os.Root, id string, each func(Entry), newer func(error)) ([]Problem, error) {
	problems, err := examineLines(root, id, fileTranscript, func(b []byte) error {
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
		found, err := examineLines(root, id, segmentName(n), func(b []byte) error {
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

// later is the error for a file of a later version, which tell is told, nil for one of this or an
// earlier one.
func later(file string, version int, tell func(error)) error {
	if version <= formatVersion {
		return nil
	}
	err := newer(file, version)
	tell(err)
	return err
}

// examineLines applies check to every line of a file. A missing file has none.
func examineLines(root *os.Root, id, name string, check func([]byte) error) ([]Problem, error) {
	var (
		problems []Problem
		line     int
	)
	err := scanFile(root, name, func(b []byte, _ int64) error {
		line++
		if err := check(b); err != nil {
			problems = append(problems, Problem{id, name, fmt.Sprintf("line %d is left out: %v", line, err)})
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
