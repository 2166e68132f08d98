package render

import "encoding/json"

// Mark is a word about a command that does not run as others do: "outside" runs outside
// the sandbox, as the person; "background" goes on after it has its result. It is "" for
// any other call.
func Mark(tool string, input json.RawMessage) string {
	if tool != "bash" {
		return ""
	}
	var in struct {
		Outside    bool `json:"outside"`
		Background bool `json:"background"`
	}
	switch err := json.Unmarshal(input, &in); {
	case err != nil:
		return ""
	case in.Outside:
		return "outside"
	case in.Background:
		return "background"
	}
	return ""
}
