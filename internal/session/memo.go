package session

// Memo returns what an earlier lease of this process left with SetMemo, or nil.
//
// It is for values that are costly to derive from the transcript. They live as
// long as the transcript itself stays in memory, so they may share its strings.
// The transcript may have grown since, by this process or another.
func (l *Lease) Memo() any {
	l.state.mu.Lock()
	defer l.state.mu.Unlock()
	return l.state.memo
}

// SetMemo leaves a value for later leases.
func (l *Lease) SetMemo(v any) {
	l.state.mu.Lock()
	defer l.state.mu.Unlock()
	l.state.memo = v
}
