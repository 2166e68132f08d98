package journal

import (
	"path"
	"strconv"

	"belay/internal/durable"
)

// slot is the name of the content of a change, in the folder of the transaction, where
// it was not taken; spare that of a copy of what it replaces.
func slot(i int) string  { return strconv.Itoa(i) }
func spare(i int) string { return "o" + strconv.Itoa(i) }

// slot is where the content of the change is, and what it replaced afterwards.
func (s step) slot() durable.Entry {
	if !s.c.Taken || s.tx.tree == nil {
		return durable.Entry{Folder: s.tx.dir, Name: slot(s.i)}
	}
	s.tx.taken.Root = s.tx.tree
	if e, err := s.tx.taken.Entry(string(s.c.Path)); err == nil {
		return e
	}
	return durable.Entry{Folder: s.tx.tree, Name: string(s.c.Path)} // it leads nowhere
}

// slotName is the path of a slot in the folder of the transaction.
func (s step) slotName() string {
	if s.c.Taken {
		return path.Join(treeName(s.tx.rec.From), string(s.c.Path))
	}
	return slot(s.i)
}

func (s step) spare() durable.Entry { return durable.Entry{Folder: s.tx.dir, Name: spare(s.i)} }
