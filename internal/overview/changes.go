package overview

import (
	"time"

	"belay/internal/event"
)

// The events of a subscription. What they tell has happened already: the endpoints show
// the same.
const (
	FeedReady       event.Type = "feed:ready"
	FeedReset       event.Type = "feed:reset"
	DecisionOpened  event.Type = "decision:opened"
	DecisionClosed  event.Type = "decision:closed"
	SessionChanged  event.Type = "session:changed"
	SessionRemoved  event.Type = "session:removed"
	RunChanged      event.Type = "run:changed"
	ProjectsChanged event.Type = "projects:changed"
)

// Events describes them.
func Events() []event.Spec {
	return []event.Spec{
		{Type: FeedReady, When: "The first event: from here on, changes are reported. Where the reader came back, nothing was missed.", Sample: Position{}},
		{Type: FeedReset, When: "Changes since the reader's position are not known one by one: lists have to be fetched anew.", Sample: Position{}},
		{Type: DecisionOpened, When: "A call, or the task of a run, waits for a person.", Sample: Opened{}},
		{Type: DecisionClosed, When: "It was answered, or nobody has to answer it any more.", Sample: Closed{}},
		{Type: SessionChanged, When: "A session is new, or differs in what lists show but the time of its last use.", Sample: Changed{}},
		{Type: SessionRemoved, When: "A session is gone.", Sample: Removed{}},
		{Type: RunChanged, When: "A run is new, or has another status.", Sample: RunState{}},
		{Type: ProjectsChanged, When: "The list of projects differs.", Sample: Nothing{}},
	}
}

// Position is the payload of [FeedReady] and [FeedReset].
type Position struct {
	// Version counts the changes that this process has seen.
	Version uint64 `json:"version"`
}

// Nothing is the payload of [ProjectsChanged].
type Nothing struct{}

// Opened is the payload of [DecisionOpened].
type Opened struct {
	DecisionID string `json:"decisionId"`
	// SessionID and TurnID are of the turn that asks, RunID is of the run that does.
	SessionID   string    `json:"sessionId,omitempty"`
	TurnID      string    `json:"turnId,omitempty"`
	RunID       string    `json:"runId,omitempty"`
	ProjectID   string    `json:"projectId"`
	ProjectRoot string    `json:"projectRoot"`
	Tool        string    `json:"tool,omitempty"`
	Reason      string    `json:"reason"`
	Created     time.Time `json:"created"`
	// Expires is absent where the question waits without a limit.
	Expires time.Time `json:"expires,omitzero"`
}

// Closed is the payload of [DecisionClosed]. Verdict is absent where the answer is not on
// record: the session or the run was deleted.
type Closed struct {
	DecisionID string `json:"decisionId"`
	SessionID  string `json:"sessionId,omitempty"`
	RunID      string `json:"runId,omitempty"`
	ProjectID  string `json:"projectId"`
	Verdict    string `json:"verdict,omitempty"`
	By         string `json:"by,omitempty"`
	Note       string `json:"note,omitempty"`
}

// Changed is the payload of [SessionChanged].
type Changed struct {
	Session Session `json:"session"`
}

// Removed is the payload of [SessionRemoved].
type Removed struct {
	SessionID string `json:"sessionId"`
}

// RunState is the payload of [RunChanged].
type RunState struct {
	RunID       string `json:"runId"`
	Workflow    string `json:"workflow"`
	ProjectID   string `json:"projectId"`
	ProjectRoot string `json:"projectRoot"`
	Status      string `json:"status"`
	// Waits counts its tasks that wait for a person or a time.
	Waits int `json:"waits,omitempty"`
}
