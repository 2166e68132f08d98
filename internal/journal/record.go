package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// version is the newest format of records. A record is written in the oldest that has all
// of it: the first one knows no contents that were taken, the second no trees.
const (
	version      = 3
	versionTaken = 2
	versionFirst = 1
)

// maxRecordBytes bounds a record.
const maxRecordBytes = 64 << 20

// Name is the bytes of a name. In a record it is a string where it is UTF-8, and
// its bytes in base64 where it is not.
type Name string

type rawName struct {
	Bytes string `json:"base64"`
}

// MarshalJSON implements [json.Marshaler].
func (n Name) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(n)) {
		return json.Marshal(string(n))
	}
	return json.Marshal(rawName{base64.StdEncoding.EncodeToString([]byte(n))})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (n *Name) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		var s string
		err := json.Unmarshal(data, &s)
		*n = Name(s)
		return err
	}
	var raw rawName
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	b, err := base64.StdEncoding.DecodeString(raw.Bytes)
	*n = Name(b)
	return err
}

// Result is how a transaction of a dead process ended.
type Result string

// The results.
const (
	Completed  Result = "completed"
	RolledBack Result = "rolled back"
)

// Outcome is the end of a transaction whose process died.
type Outcome struct {
	Result    Result     `json:"result"`
	Time      time.Time  `json:"time"`
	Conflicts []Conflict `json:"conflicts,omitempty"`
}

// record is the intent of a transaction: all that is needed to complete it or to
// take it back. In a file it is one line of JSON, and a second line with its hash.
type record struct {
	V       int       `json:"v"`
	ID      string    `json:"id"`
	Project Name      `json:"project"`
	Time    time.Time `json:"time"`
	Owner   Owner     `json:"owner"`
	Inside  bool      `json:"inside,omitempty"`
	// From is the folder in .belay that the contents were taken from, "" for none.
	From Name `json:"from,omitempty"`
	// Back is set once the transaction is to be taken back.
	Back    bool     `json:"back,omitempty"`
	Changes []Change `json:"changes"`
	// Conflicts are those that turned it back; Outcome is set when it is over.
	Conflicts []Conflict `json:"conflicts,omitempty"`
	Outcome   *Outcome   `json:"outcome,omitempty"`
}

const recordSuffix = ".json"

// errTorn says that a record is not whole.
var errTorn = errors.New("the record is not whole")

func (r *record) encode() ([]byte, error) {
	line, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	if len(line) > maxRecordBytes {
		return nil, fmt.Errorf("the changes take a record of %d bytes, which are more than %d", len(line), maxRecordBytes)
	}
	sum := sha256.Sum256(line)
	return fmt.Appendf(line, "\n%x\n", sum), nil
}

// decodeRecord reads a record strictly: what it returns is written as exactly
// these bytes. A record that was cut off or is damaged is errTorn, and one of a
// newer format a [*NewerError].
func decodeRecord(data []byte) (*record, error) {
	line, rest, found := bytes.Cut(data, []byte("\n"))
	var head struct{ V int }
	if json.Unmarshal(line, &head) == nil && head.V > version {
		return nil, &NewerError{Version: head.V}
	}
	sum := sha256.Sum256(line)
	if !found || string(rest) != hex.EncodeToString(sum[:])+"\n" {
		return nil, errTorn
	}
	r := &record{}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(r); err != nil {
		return nil, fmt.Errorf("%w: %w", errTorn, err)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("%w: %w", errTorn, err)
	}
	if again, err := r.encode(); err != nil || !bytes.Equal(again, data) {
		return nil, errTorn
	}
	return r, nil
}

// format is the oldest format that has all of a record.
func (r *record) format() int {
	if slices.ContainsFunc(r.Changes, func(c Change) bool { return c.Tree != nil }) {
		return version
	}
	if r.From != "" || slices.ContainsFunc(r.Changes, func(c Change) bool { return c.Loose }) {
		return versionTaken
	}
	return versionFirst
}

func (r *record) check() error {
	switch {
	case r.V != r.format():
		return fmt.Errorf("the format is %d", r.V)
	case r.From != "" && checkFrom(r.From) != nil:
		return errPath
	case !isID(r.ID):
		return fmt.Errorf("%q is no id", r.ID)
	case !filepath.IsAbs(string(r.Project)):
		return fmt.Errorf("%q is no project", r.Project)
	case len(r.Changes) == 0 || len(r.Changes) > maxChanges:
		return fmt.Errorf("it has %d changes", len(r.Changes))
	}
	for i := range r.Changes {
		if err := r.Changes[i].check(r.Inside); err != nil {
			return err
		}
		if c := &r.Changes[i]; c.Taken && r.From == "" || c.Tree != nil && !c.Taken {
			return errPath
		}
	}
	conflicts := r.Conflicts
	if o := r.Outcome; o != nil {
		if o.Result != Completed && o.Result != RolledBack {
			return fmt.Errorf("%q is no result", o.Result)
		}
		conflicts = append(conflicts[:len(conflicts):len(conflicts)], o.Conflicts...)
	}
	for _, c := range conflicts {
		if err := checkPath(c.Path, true); err != nil {
			return err
		}
		if c.Kept != "" && checkPath(c.Kept, true) != nil {
			return errPath
		}
	}
	return nil
}

// isID reports whether an id of a transaction is fit to be a file's name.
func isID(id string) bool {
	return id != "" && len(id) <= 100 && strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-") == ""
}
