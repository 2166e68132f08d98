package session

// boot says what the last writer of a session's files has to do with this time
// that the system runs.
type boot int

const (
	// sameBoot: whatever was written is there.
	sameBoot boot = iota
	// otherBoot: what was not flushed may be lost.
	otherBoot
	// noBoot: the note does not say.
	noBoot
)

// after says what the note's writer has to do with the running system. A note of
// a program that flushed the log with each turn, and that was released, reports
// files that are whole.
func (n note) after(current string) boot {
	switch {
	case n.BootID != "" && n.BootID == current:
		return sameBoot
	case n.BootID != "":
		return otherBoot
	case n.settled():
		return sameBoot
	}
	return noBoot
}

// want is what must be in the transcript.
func (b boot) want(n note) position {
	if b == sameBoot {
		return n.Transcript
	}
	return n.kept()
}
