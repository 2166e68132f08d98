package cli

// reportDone reports what a command did: for programs v as JSON, for people a note.
func reportDone(c *console, v any, label, text string) error {
	if c.json {
		return c.writeJSON(v)
	}
	c.note(label, text)
	return nil
}

// onSession is what was done with a session, as JSON.
type onSession struct {
	SessionID string `json:"sessionId"`
	Done      string `json:"done"`
	// File is where it was written, for an export.
	File string `json:"file,omitempty"`
}

// onQuestion is the answer to a question, as JSON: of a call, or of a task of a run.
type onQuestion struct {
	DecisionID string `json:"decisionId,omitempty"`
	RunID      string `json:"runId,omitempty"`
	Task       string `json:"task,omitempty"`
	Verdict    string `json:"verdict"`
}
