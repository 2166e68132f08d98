package contract

import "time"

// Asks says about what a question is, and so how its buttons are labelled.
type Asks string

// What questions are about.
const (
	// AsksChanges: a command or a tool changed files, which is not real yet.
	AsksChanges Asks = "changes"
	// AsksRun: a command, or another tool, waits to begin.
	AsksRun Asks = "run"
	// AsksHost: a command wants to reach another machine; ExpiresAt is near.
	AsksHost Asks = "host"
	// AsksPublish: files are to be sent to people.
	AsksPublish Asks = "publish"
)

// Class is the class of a changed file (docs/risks.md).
type Class string

// The classes.
const (
	ClassOrdinary      Class = "ordinary"
	ClassRunsByItself  Class = "runs_by_itself"
	ClassRunsOnRequest Class = "runs_on_request"
	// ClassDropped files are never applied, whatever the answer.
	ClassDropped Class = "dropped"
)

// ChangedFile is a file of a question.
type ChangedFile struct {
	Path  string `json:"path"`
	Class Class  `json:"class"`
	// Reason says why it is in its class.
	Reason string `json:"reason,omitempty"`
	// Bytes is the size of a file that is to be sent.
	Bytes int64 `json:"bytes,omitempty"`
}

// Decision is a question that waits for a person.
type Decision struct {
	DecisionID string `json:"decisionId"`
	TurnID     string `json:"turnId"`
	ToolCallID string `json:"toolCallId"`
	Asks       Asks   `json:"asks"`
	Tool       string `json:"tool"`
	// Summary is one line for people. Reason says why a person is asked.
	Summary string `json:"summary"`
	Reason  string `json:"reason,omitempty"`
	Persona string `json:"persona,omitempty"`
	// Command is the text of a command. Outside is set where it runs outside the
	// sandbox, Background where it goes on as a job; Why is the agent's reason.
	Command    string `json:"command,omitempty"`
	Outside    bool   `json:"outside,omitempty"`
	Background bool   `json:"background,omitempty"`
	Why        string `json:"why,omitempty"`
	// CommandTruncated says that Command, Hosts or Notes are not all, that one of them is cut, or
	// Summary where there is no command: nobody should allow that unseen.
	CommandTruncated bool `json:"commandTruncated,omitempty"`
	// Output is what an ended command wrote last, with a line on how it ended;
	// Failed says that it did not succeed.
	Output string   `json:"output,omitempty"`
	Failed bool     `json:"failed,omitempty"`
	Hosts  []string `json:"hosts,omitempty"`
	// Destination is where files are to be sent.
	Destination string `json:"destination,omitempty"`
	// Files are the files in question, at most 200 of FileCount. A folder may stand for all
	// that is in it.
	Files     []ChangedFile `json:"files,omitempty"`
	FileCount int           `json:"fileCount,omitempty"`
	// Notes are lines about changes that are not shown as files, such as commits.
	Notes []string `json:"notes,omitempty"`
	// Diff is the change as a unified diff; DiffTruncated says that it is not all.
	Diff          string `json:"diff,omitempty"`
	DiffTruncated bool   `json:"diffTruncated,omitempty"`
	// Session is set where the answer may hold for the whole session.
	Session bool `json:"session,omitempty"`
	// ExpiresAt is when the question closes unanswered; absent where it waits
	// without a limit.
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	Time      time.Time `json:"time"`
}

// DecisionOpened says that a call of a request's turn waits for a person.
type DecisionOpened struct {
	Decision
	// After is the position of the request's output before the question, 0 for none: people
	// should see what was said until then first.
	After int64 `json:"after,omitempty"`
}

// DecisionClosed says that a question was answered, on any surface, or that its
// time is over.
type DecisionClosed struct {
	DecisionID string  `json:"decisionId"`
	TurnID     string  `json:"turnId"`
	ToolCallID string  `json:"toolCallId,omitempty"`
	Verdict    Verdict `json:"verdict"`
	// By is who decided: "discord:<user id>" for a person in Discord, another
	// person's name, "timeout", "interrupt".
	By   string    `json:"by,omitempty"`
	Note string    `json:"note,omitempty"`
	Time time.Time `json:"time"`
}

// Verdict is an answer.
type Verdict string

// The verdicts.
const (
	VerdictAllow        Verdict = "allow"
	VerdictAllowSession Verdict = "allow_session"
	VerdictDeny         Verdict = "deny"
)

// DecisionAnswer answers a question of the session in the envelope. The reply is
// [DecisionAnswered], or a [Failure] DECISION_CLOSED where somebody was faster.
// The surface has checked that the person may answer.
type DecisionAnswer struct {
	DecisionID string  `json:"decisionId"`
	Verdict    Verdict `json:"verdict"`
	// By is who answers, "<platform>:<user id>". The audit log has it.
	By   string `json:"by"`
	Note string `json:"note,omitempty"`
	// Only are, of the changed files, those that count; folders stand for all that
	// is in them.
	Only []string `json:"only,omitempty"`
}

// DecisionAnswered says that an answer is on record.
type DecisionAnswered struct {
	DecisionID string    `json:"decisionId"`
	Verdict    Verdict   `json:"verdict"`
	By         string    `json:"by"`
	Time       time.Time `json:"time"`
}

func (m *Decision) check(c *checker) {
	c.filled("decisionId", m.DecisionID, maxLabel)
	c.text("turnId", m.TurnID, maxLabel)
	c.text("toolCallId", m.ToolCallID, maxLabel)
	one(c, "asks", m.Asks, AsksChanges, AsksRun, AsksHost, AsksPublish)
	c.filled("tool", m.Tool, maxLabel)
	c.text("summary", m.Summary, maxNote)
	c.text("reason", m.Reason, maxNote)
	c.text("persona", m.Persona, maxLabel)
	c.text("command", m.Command, MaxCommand)
	c.text("why", m.Why, maxNote)
	c.text("output", m.Output, 2*maxNote)
	c.texts("hosts", m.Hosts, MaxHost)
	c.text("destination", m.Destination, maxLabel)
	c.list("files", len(m.Files))
	for _, f := range m.Files {
		c.filled("files.path", f.Path, maxPath)
		one(c, "files.class", f.Class, ClassOrdinary, ClassRunsByItself, ClassRunsOnRequest, ClassDropped)
		c.text("files.reason", f.Reason, maxNote)
		c.that(f.Bytes >= 0, "files.bytes", "must not be negative")
	}
	c.that(m.FileCount >= len(m.Files), "fileCount", "must not be less than the files named")
	c.texts("notes", m.Notes, maxNote)
	c.text("diff", m.Diff, MaxDiff)
	c.year("expiresAt", m.ExpiresAt)
	c.moment("time", m.Time)
}

func (m *DecisionOpened) check(c *checker) {
	m.Decision.check(c)
	c.that(m.After >= 0, "after", "must not be negative")
}

func (m *DecisionClosed) check(c *checker) {
	c.filled("decisionId", m.DecisionID, maxLabel)
	c.text("turnId", m.TurnID, maxLabel)
	c.text("toolCallId", m.ToolCallID, maxLabel)
	one(c, "verdict", m.Verdict, VerdictAllow, VerdictAllowSession, VerdictDeny)
	c.text("by", m.By, maxLabel)
	c.text("note", m.Note, maxNote)
	c.moment("time", m.Time)
}

func (m *DecisionAnswer) check(c *checker) {
	c.filled("decisionId", m.DecisionID, maxLabel)
	one(c, "verdict", m.Verdict, VerdictAllow, VerdictAllowSession, VerdictDeny)
	c.filled("by", m.By, maxLabel)
	c.text("note", m.Note, maxNote)
	c.texts("only", m.Only, maxPath)
	c.that(m.Only == nil || len(m.Only) > 0, "only", "must not be empty; leave it out to choose all")
}

func (m *DecisionAnswered) check(c *checker) {
	c.filled("decisionId", m.DecisionID, maxLabel)
	one(c, "verdict", m.Verdict, VerdictAllow, VerdictAllowSession, VerdictDeny)
	c.text("by", m.By, maxLabel)
	c.moment("time", m.Time)
}
