package turn

import "time"

// Limits that nobody has a reason to change. Package app puts them into [Limits].
const (
	// MaxMessageBytes is more than people type; longer text is attached as a file.
	MaxMessageBytes = 1 << 20
	// MaxAnswerBytes is more than any model answers. It bounds the memory that a
	// broken service can take.
	MaxAnswerBytes = 8 << 20
	// QueueLength and QueueWait are for clients that send the next message before the
	// answer is there. Who waits longer has lost interest.
	QueueLength = 8
	QueueWait   = 10 * time.Minute
	// IdempotencyTTL outlasts every retry of a client.
	IdempotencyTTL = 24 * time.Hour
	// DeltaInterval is shorter than people notice; DeltaBytes keeps an event small.
	DeltaInterval = 25 * time.Millisecond
	DeltaBytes    = 4 << 10
)
