package run

import (
	"encoding/json"
	"errors"
	"io"

	"belay/internal/durable"
)

// headBytes is how much of a large record is read for a row of a list.
const headBytes = 1 << 20

// head reads what a list shows of the run's record. A record can be as large as the run's
// outputs, which stand at its end: of a large one the beginning is read.
func (f *folder) head() (Record, error) {
	file, info, err := durable.OpenRegular(f.root, fileRun)
	if err != nil {
		return f.read() // it says what is wrong
	}
	defer file.Close()
	if info.Size() <= headBytes {
		return f.read()
	}
	var r Record
	data, err := beginning(io.LimitReader(file, headBytes), "sha256")
	if err == nil {
		err = decodeFile(fileRun, data, &r)
	}
	if err != nil || r.ID != f.id {
		return f.read()
	}
	return r, nil
}

// beginning is the JSON object with the fields of another one that stand before a field.
func beginning(r io.Reader, before string) ([]byte, error) {
	d := json.NewDecoder(r)
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.Join(err, errors.New("it is no JSON object"))
	}
	fields := map[string]json.RawMessage{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		name, ok := t.(string)
		if !ok || name == before {
			return json.Marshal(fields)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		fields[name] = value
	}
	return nil, errors.New("it has no field " + before)
}
