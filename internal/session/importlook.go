package session

import (
	"maps"
	"slices"

	"belay/internal/durable"
)

// look reads the transcript and the log that were received. What a later version wrote is
// refused: nobody could use the session. In tells what is missing.
func (im *importer) look(in *Imported) error {
	var beyond error
	lacks := map[string]bool{}
	problems, err := examineFolder(im.root, func(e Entry) {
		for _, it := range e.Files() {
			if hashPattern.MatchString(it.SHA256) {
				lacks[it.SHA256] = true
			}
		}
	}, func(err error) { beyond = err })
	switch {
	case beyond != nil:
		return refused("%v", beyond).WithHint(durable.NewerHint)
	case err != nil:
		return storage("the session could not be imported", err)
	}
	if _, came := im.got[fileTranscript]; !came {
		problems = append(problems, Problem{fileTranscript, "is missing, and with it the conversation"})
	}
	blobs, err := im.blobs.open(true)
	if err != nil {
		return storage("the session could not be imported", err)
	}
	defer func() { _ = blobs.Close() }()
	maps.DeleteFunc(lacks, func(sha string, _ bool) bool {
		_, err := im.blobs.look(blobs, sha)
		return err == nil
	})
	in.Lacks, in.Problems = slices.Sorted(maps.Keys(lacks)), problems
	return nil
}
