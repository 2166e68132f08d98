package upstream

import (
	"encoding/json"
	"strings"
)

// ErrorBody is what a service says of a failure, in its own words.
type ErrorBody struct {
	Message string
	// Kind and Code name it; either may be empty.
	Kind, Code string
	// Param is the part of the request that it is about, where the service names one.
	Param string
	// Status is what a code that is a number says, else 0.
	Status int
}

// ParseError reads the error in data. Most services have an object "error"; vLLM had the
// object alone, FastAPI has "detail", some have a list "errors", some have only a text.
// Gemini has an array of one such object. A gateway's page is none of it: then the
// status alone must do.
func ParseError(data []byte) (e ErrorBody) {
	data = firstOf(data)
	var outer struct{ Error, Errors, Detail, Message json.RawMessage }
	if json.Unmarshal(data, &outer) != nil {
		return e
	}
	inner := outer.Error
	switch {
	case isObject(inner): // a text or true beside a message says less than that
	case words(outer.Message) != "":
		inner = data
	case words(inner) != "":
	case isSaid(outer.Detail):
		inner = outer.Detail
	default:
		inner = outer.Errors
	}
	inner = firstOf(inner)
	if e.Message = words(inner); e.Message != "" {
		return e
	}
	var fields struct{ Message, Msg, Type, Code, Param json.RawMessage }
	if json.Unmarshal(inner, &fields) != nil {
		return e
	}
	e.Message, e.Kind, e.Code, e.Param = words(fields.Message), words(fields.Type), words(fields.Code), words(fields.Param)
	switch {
	case e.Message != "":
	case isSaid(fields.Message) && fields.Message[0] != '"':
		e.Message = string(fields.Message) // an object says more than nothing
	default:
		e.Message = words(fields.Msg)
	}
	_ = json.Unmarshal(fields.Code, &e.Status) // else there is none
	return e
}

// firstOf is the first value of an array, or data.
func firstOf(data []byte) []byte {
	var several []json.RawMessage
	if json.Unmarshal(data, &several) == nil && len(several) > 0 {
		return several[0]
	}
	return data
}

// isObject reports whether raw is an object with fields, or an array.
func isObject(raw json.RawMessage) bool { return len(raw) > 2 && (raw[0] == '{' || raw[0] == '[') }

func isSaid(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// words is the text that raw is, or "" for any other value.
func words(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return strings.TrimSpace(s)
}
