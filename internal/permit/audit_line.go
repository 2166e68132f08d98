package permit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"belay/internal/plainjson"
)

// auditVersion is the version of the format of log and head. Version 0 is the same
// without the field "v".
const auditVersion = 1

// auditLine is a line as it is written, without its own hash, which follows.
type auditLine struct {
	Format int       `json:"v,omitempty"`
	N      int       `json:"n"`
	Time   time.Time `json:"time"`
	Entry
	Prev string `json:"prev"`
}

// head is what the head file remembers of the log's end.
type head struct {
	Format int    `json:"v,omitempty"`
	N      int    `json:"n"`
	Size   int64  `json:"size"`
	Hash   string `json:"hash"`
}

// hashBytes is the length of what follows the hashed part of a line:
// ,"hash":"…"} and the line end.
const hashBytes = len(`,"hash":""}`) + 2*sha256.Size + 1

// hashed is the line with its hash, over all bytes before it.
func (l auditLine) hashed() (line []byte, hash string, err error) {
	text, err := plainjson.Marshal(l)
	if err != nil {
		return nil, "", err
	}
	line, hash = withHash(bytes.TrimSuffix(text, []byte("}")))
	return line, hash, nil
}

// withHash is a line of which body is all but its end.
func withHash(body []byte) (line []byte, hash string) {
	sum := sha256.Sum256(body)
	hash = hex.EncodeToString(sum[:])
	return append(body, `,"hash":"`+hash+"\"}\n"...), hash
}
