package run

import (
	"errors"
	"io/fs"

	"belay/internal/durable"
)

// copyOfUsed is the run's copy of a file that its workflow uses.
func copyOfUsed(flow, name string) string { return flow + ".use." + name }

// keepFlow writes the run's copy of its workflow, and of the files that it uses, over what
// a crash may have left of the same copy. Their names are flushed with the record's.
func (f *folder) keepFlow(w *flow, name string) error {
	err := f.writeAnew(name, w.data)
	for used, data := range w.Used {
		err = errors.Join(err, f.writeAnew(copyOfUsed(name, used), data))
	}
	if err != nil {
		return storage("the run's copy of the workflow could not be written", err)
	}
	return nil
}

func (f *folder) writeAnew(name string, data []byte) error {
	if err := durable.Remove(f.root, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return durable.WriteNew(f.root, name, data, 0o600, durable.RunRecord)
}

// workflow reads the run's own copy of its workflow file.
func (f *folder) workflow(name string) ([]byte, error) {
	data, _, err := durable.ReadFile(f.root, name, maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("it is not there")
	}
	if err != nil {
		return nil, unreadable(f.id, name, err)
	}
	return data, nil
}
