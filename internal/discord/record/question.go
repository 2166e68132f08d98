package record

// Question is a question that was asked in the channel.
type Question struct {
	ID      string `json:"id"`
	Session string `json:"session"`
	Message string `json:"message"`
	// Text is what the message says, for the edit that closes it.
	Text string `json:"text"`
	// Direct are the same question in direct messages. Message is a note then.
	Direct []DirectQuestion `json:"direct,omitempty"`
	Closed bool             `json:"closed,omitempty"`
}

// DirectQuestion is a question in the direct messages of a decider.
type DirectQuestion struct {
	User    string `json:"user"`
	Channel string `json:"channel"`
	Message string `json:"message"`
	Text    string `json:"text"`
}

// Question returns a question that was asked in the channel.
func (c *Channel) Question(id string) (Question, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q, ok := c.state.questions[id]
	return q, ok
}

// Ask records a question that was sent, or its end.
func (c *Channel) Ask(q Question) error { return c.add(true, line{Question: &q}) }
