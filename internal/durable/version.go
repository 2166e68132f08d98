package durable

import (
	"encoding/json"
	"fmt"
)

// A file that belay writes as JSON, or as JSON lines, carries the version of its
// format in the field "v" of each object: an integer. Files from before there were
// versions have none; they are of version 0. A program that meets a version above
// those that it knows must not guess: it reads nothing of the file and writes
// nothing to it.

// NewerError says that a newer program wrote a file.
type NewerError struct {
	File    string // its name
	Version int    // its format's version
	Known   int    // the newest version that this program reads
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s has format version %d, and this belay reads versions up to %d", e.File, e.Version, e.Known)
}

// NewerHint is the next step after a [NewerError].
const NewerHint = "use the newer belay that wrote it"

// CheckVersion returns a [NewerError] if the JSON object in data, which is of the
// file, has a version above known. What is no object, or has no version, is left to
// the decoder.
func CheckVersion(file string, data []byte, known int) error {
	var o struct {
		V json.RawMessage `json:"v"`
	}
	if json.Unmarshal(data, &o) != nil || len(o.V) == 0 {
		return nil
	}
	var v int
	if json.Unmarshal(o.V, &v) != nil {
		return fmt.Errorf("%s has a format version that is no integer", file)
	}
	if v <= known {
		return nil
	}
	return &NewerError{File: file, Version: v, Known: known}
}
