package event

import (
	"encoding/json"
	"strconv"
	"time"
)

// AppendJSON appends e to b as encoding/json would write it. Data is taken as it
// is: it is JSON already, and was checked where the event was made or read.
func (e Event) AppendJSON(b []byte) []byte {
	b = append(b, `{"seq":`...)
	b = strconv.AppendInt(b, e.Seq, 10)
	b = AppendString(append(b, `,"turn":`...), e.Turn)
	b = e.Time.AppendFormat(append(b, `,"time":"`...), time.RFC3339Nano)
	b = AppendString(append(b, `","type":`...), string(e.Type))
	b = append(b, `,"data":`...)
	if e.Data == nil {
		b = append(b, "null"...)
	}
	return append(append(b, e.Data...), '}')
}

// AppendString appends s to b as a JSON string. Ids and names need no escapes,
// which is quick to see.
func AppendString[S ~string](b []byte, s S) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			quoted, _ := json.Marshal(string(s)) // a string always encodes
			return append(b, quoted...)
		}
	}
	return append(append(append(b, '"'), s...), '"')
}
