package permit

import "time"

// Verdict is a person's answer.
type Verdict string

// The verdicts.
const (
	VerdictAllow Verdict = "allow"
	// VerdictAllowSession also allows later calls of the same classes, by the
	// same agent in the same session.
	VerdictAllowSession Verdict = "allow_session"
	VerdictDeny         Verdict = "deny"
)

// Who answers a question that no person does.
const (
	// ByTimeout is a question's time, ByInterrupt a person who stops the turn, and
	// ByBelay everything else that closes one.
	ByTimeout   = "timeout"
	ByInterrupt = "interrupt"
	ByBelay     = "belay"
)

// Decision is how a question ended.
type Decision struct {
	DecisionID string    `json:"decisionId"`
	Verdict    Verdict   `json:"verdict"`
	By         string    `json:"by"`
	Note       string    `json:"note,omitempty"`
	Time       time.Time `json:"time"`
	// Only are, of the changes that a command made, those that count: files, and
	// folders with all that is in them. All of them count where it is empty.
	Only []string `json:"only,omitempty"`
	// Timeout is set where nobody answered in time, which is a denial.
	Timeout bool `json:"timeout,omitempty"`
	// About is the fingerprint of the effect that was decided about.
	About string `json:"-"`
}

// Allowed reports whether the call may run.
func (d Decision) Allowed() bool {
	return d.Verdict == VerdictAllow || d.Verdict == VerdictAllowSession
}

func (d Decision) valid() bool { return d.Allowed() || d.Verdict == VerdictDeny }
