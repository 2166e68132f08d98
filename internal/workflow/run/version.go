package run

import (
	"encoding/json"

	"belay/internal/durable"
	"belay/internal/plainjson"
)

// formatVersion is the version of a run's files: run.json, the records of its tasks,
// its events and its grant. Version 1 has
// no [fileMembers]; version 0 is the same without the field "v".
const formatVersion = 2

// runFile is run.json, taskFile the record of a task, eventLine a line of
// events.jsonl.
type (
	runFile struct {
		Format int `json:"v"`
		Record
	}
	taskFile struct {
		Format int `json:"v"`
		Task
	}
	eventLine struct {
		Format int `json:"v"`
		Event
	}
)

// encodeFile encodes one of the files.
func encodeFile(v any) ([]byte, error) {
	data, err := plainjson.MarshalIndent(v)
	return append(data, '\n'), err
}

// decodeFile decodes a file into v. A newer version is a [durable.NewerError].
func decodeFile(name string, data []byte, v any) error {
	if err := durable.CheckVersion(name, data, formatVersion); err != nil {
		return err
	}
	return decodeRecord(data, v)
}

// readEvent decodes a line of events; a spoilt one is the zero value. The error is a
// [durable.NewerError].
func readEvent(line []byte) (Event, error) {
	var l eventLine
	if json.Unmarshal(line, &l) == nil && l.Format <= formatVersion {
		return l.Event, nil
	}
	return Event{}, durable.CheckVersion(fileEvent, line, formatVersion)
}
