package record

import (
	"time"

	"belay/internal/bus/contract"
)

// Question is a question that is asked in the channel.
type Question struct {
	ID      string `json:"id"`
	Session string `json:"session"`
	// Request is the request that it belongs to.
	Request string `json:"request,omitempty"`
	Message string `json:"message"`
	// Text is what the message says, for the edit that closes it.
	Text string `json:"text"`
	// Direct are the same question in direct messages. Message is a note then.
	Direct []DirectQuestion `json:"direct,omitempty"`
	// Opened is what is still to be asked. It is nil when that is done.
	Opened *contract.DecisionOpened `json:"opened,omitempty"`
	// Began is when the first message was about to be sent, and From one that is older: a
	// process that dies then may leave a message that is not on record.
	Began time.Time `json:"began,omitzero"`
	From  string    `json:"from,omitempty"`
	// Ended is how it was answered, and Closed says that its messages show that.
	Ended  *contract.DecisionClosed `json:"ended,omitempty"`
	Closed bool                     `json:"closed,omitempty"`
}

// DirectQuestion is a question in the direct messages of a decider.
type DirectQuestion struct {
	User    string `json:"user"`
	Channel string `json:"channel"`
	Message string `json:"message"`
	Text    string `json:"text"`
}

// Question returns a question that is asked in the channel.
func (c *Channel) Question(id string) (Question, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q, ok := c.state.questions[id]
	return q, ok
}

// Unsettled are the ids of the questions that are still to be asked, or to be closed.
func (c *Channel) Unsettled() (ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range c.state.question {
		if q := c.state.questions[id]; !q.Closed && (q.Opened != nil || q.Ended != nil) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Asked are the ids of the questions whose messages wait for an answer.
func (c *Channel) Asked() (ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range c.state.question {
		if q := c.state.questions[id]; !q.Closed && q.Ended == nil && q.Opened == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// Waits reports whether a question of a request has no answer yet.
func (c *Channel) Waits(request string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, q := range c.state.questions {
		if q.Request == request && q.Ended == nil && !q.Closed {
			return true
		}
	}
	return false
}

// Ask records a question, which change changes from what is on record: from one that has only
// its id where there is none.
func (c *Channel) Ask(id string, change func(*Question)) error {
	c.asking.Lock()
	defer c.asking.Unlock()
	q, _ := c.Question(id)
	q.ID = id
	change(&q)
	return c.add(true, line{Question: &q})
}
