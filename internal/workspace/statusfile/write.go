package statusfile

import (
	"bytes"
	"context"
	"errors"
	"os"

	"belay/internal/durable"
	"belay/internal/fault"
	"belay/internal/workspace"
	"belay/internal/workspace/layout"
)

// write replaces the file.
func (w *Writer) write(ctx context.Context, folder *os.Root, s *Snapshot, data []byte) error {
	leave, err := w.Gate.Enter(ctx, s.Deliverable.Project)
	if err != nil {
		return s.about(fault.From(err))
	}
	defer leave()
	return replace(folder, s, data)
}

// replace replaces the file, unless it is no longer what was read: programs that know
// no lock write it too.
func replace(folder *os.Root, s *Snapshot, data []byte) error {
	now, _, err := durable.ReadFile(folder, layout.StatusFile, int64(len(s.data)))
	if err != nil || !bytes.Equal(now, s.data) {
		return s.changed("_STATUS.md was changed while the transition was made")
	}
	// The lock makes the temporary file's name ours: what a killed process left under
	// it goes.
	put := durable.Replacement{Data: data, Perm: s.info.Mode().Perm(), Exact: true, Like: s.info, Temp: durable.TempName("status")}
	err = put.Put(folder, layout.StatusFile)
	if errors.Is(err, durable.ErrUnflushed) {
		return s.about(fault.New(fault.StorageFailure, "the transition is made, but the disk did not confirm it; a power cut may take it back").
			WithHint("look after the disk, then see that _STATUS.md still has the new state").Because(err))
	}
	if err != nil {
		hint, cause := workspace.Unwritten(err, s.Deliverable.Path, "make the transition again")
		return s.about(fault.New(fault.StorageFailure, "_STATUS.md could not be written; it is as it was").WithHint("%s", hint).Because(cause))
	}
	return nil
}
