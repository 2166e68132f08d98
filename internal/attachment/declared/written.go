package declared

// Written are the entry's sources as their author wrote them.
func (e *Entry) Written() []string {
	texts := make([]string, len(e.sources))
	for i, s := range e.sources {
		texts[i] = s.text.Text()
	}
	return texts
}

// Kind is the entry's type as its author wrote it.
func (e *Entry) Kind() string {
	if e.Type != "" || e.typ == nil {
		return string(e.Type)
	}
	return e.typ.Text()
}

// Kind is the type of what waits, as its author wrote it.
func (w *Waiting) Kind() string { return w.entry.Kind() }
