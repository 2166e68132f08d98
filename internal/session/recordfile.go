package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"

	"belay/internal/durable"
)

// maxRecord bounds session.json; a real one has a few hundred bytes.
const maxRecord = 1 << 20

// storedRecord is session.json. The file is a copy of what the transcript says,
// for people, lists and lookups. It is never flushed; the checksum shows whether
// it is whole. Files without a version were written before there was one.
type storedRecord struct {
	V int `json:"v,omitempty"`
	Record
	// BootID is as in [note]: after another one the file may be an older copy.
	BootID string `json:"bootId,omitempty"`
	// Checksum is the CRC-32 of the file without this field, in hex.
	Checksum string `json:"checksum,omitempty"`
}

// readRecord reads the record in a session folder, with the time of use by the
// transcript, which it describes. Where session.json is missing, empty, torn or of
// another session, the transcript says what it held.
func readRecord(root *os.Root, id string) (Record, fs.FileInfo, error) {
	rec, _, err := readRecordFile(root)
	return useOf(root, id, rec, err)
}

// useOf is readRecord where session.json was read already.
func useOf(root *os.Root, id string, rec Record, err error) (Record, fs.FileInfo, error) {
	rec, err = stored(root, id, rec, err)
	if err != nil {
		return rec, nil, err
	}
	at, info, err := lastUse(root)
	if err != nil {
		return Record{}, nil, err
	}
	rec.use(at)
	return rec, info, nil
}

// stored is what session.json says, or the transcript where that is no use.
func stored(root *os.Root, id string, rec Record, err error) (Record, error) {
	if err == nil && rec.SessionID != id {
		err = fmt.Errorf("%s %w: it names the session %q, its folder %q", fileRecord, ErrMalformed, clip(rec.SessionID, 80), id)
	}
	if err == nil || !missing(err) && !errors.Is(err, ErrMalformed) {
		return rec, err
	}
	rebuilt, e := rebuildRecord(root, id)
	switch {
	case e == nil:
		return rebuilt, nil
	case missing(err) && missing(e):
		return Record{}, fmt.Errorf("%s %w: it is lost, and so is %s", fileRecord, ErrMalformed, fileTranscript)
	case isNewer(e), missing(err):
		return Record{}, e
	}
	return Record{}, err
}

// readRecordNow is readRecord for who cannot do with an older copy, which a power
// cut may leave. Whole says that session.json was written since the system started
// and is what the record is from.
func readRecordNow(root *os.Root, id, bootID string) (rec Record, whole bool, used fs.FileInfo, err error) {
	rec, boot, err := readRecordFile(root)
	own := err == nil && rec.SessionID == id
	if own && boot != bootID && boot != "" {
		if rebuilt, err := rebuildRecord(root, id); err == nil {
			rec = rebuilt
		}
	}
	whole = own && boot == bootID
	rec, used, err = useOf(root, id, rec, err)
	return rec, whole, used, err
}

func readRecordFile(root *os.Root) (rec Record, bootID string, err error) {
	b, _, err := durable.ReadFile(root, fileRecord, maxRecord)
	if errors.Is(err, durable.ErrNotRegular) {
		err = fmt.Errorf("%s %w: %w", fileRecord, ErrMalformed, durable.ErrNotRegular)
	}
	if err != nil {
		return Record{}, "", err
	}
	return decodeRecord(b)
}

// decodeRecord reads session.json. A person may add fields; those are ignored.
func decodeRecord(b []byte) (rec Record, bootID string, err error) {
	var r storedRecord
	if err := json.Unmarshal(b, &r); err != nil {
		return Record{}, "", fmt.Errorf("%s %w: %w", fileRecord, ErrMalformed, err)
	}
	if r.V > formatVersion {
		return Record{}, "", newer(fileRecord, r.V)
	}
	if r.V == 0 {
		return r.Record, "", nil
	}
	sum := r.Checksum
	r.Checksum = ""
	whole, err := r.encode()
	if err != nil {
		return Record{}, "", err
	}
	if checksum(whole) != sum {
		return Record{}, "", fmt.Errorf("%s %w: its checksum does not fit", fileRecord, ErrMalformed)
	}
	return r.Record, r.BootID, nil
}

// writeRecord replaces session.json. What a read adds is not written.
func writeRecord(root *os.Root, rec Record, bootID string) error {
	b, err := encodeRecord(rec, bootID)
	if err != nil {
		return err
	}
	return durable.WriteFile(root, fileRecord, b, 0o600, durable.SessionRecord)
}

// encodeRecord is session.json.
func encodeRecord(rec Record, bootID string) ([]byte, error) {
	rec.ReadOnly, rec.Damaged = false, ""
	r := storedRecord{V: formatVersion, Record: rec, BootID: bootID}
	b, err := r.encode()
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", fileRecord, err)
	}
	// The checksum is the last field, and of everything else.
	const end = "\n}\n"
	sum := checksum(b)
	return fmt.Appendf(b[:len(b)-len(end)], ",\n  \"checksum\": %q%s", sum, end), nil
}

// encode writes two spaces of indent, a line end and no HTML escapes.
func (r storedRecord) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(r)
	return b.Bytes(), err
}

func checksum(b []byte) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE(b)) }
