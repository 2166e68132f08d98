package watch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"belay/internal/durable"
	"belay/internal/tool"
)

// announcement is what is written down before a command begins. It is there for
// as long as the command runs: where it is and the lock is free, the process died.
type announcement struct {
	Origin tool.Origin `json:"origin"`
	Began  time.Time   `json:"began"`
	// Stamped is set where the command's keeper writes to the lock's file as long
	// as anything of the command runs.
	Stamped bool `json:"stamped,omitempty"`
	// Scope is who may change what, absent where no other process can know.
	Scope     json.RawMessage `json:"scope,omitempty"`
	FileBytes int64           `json:"fileBytes"`
	// Pack is the name of what is kept, PackBytes its size; its index has IndexBytes
	// with the checksum IndexSum.
	Pack       string `json:"pack"`
	PackBytes  int64  `json:"packBytes"`
	IndexBytes int64  `json:"indexBytes"`
	IndexSum   uint32 `json:"indexSum"`
}

// maxAnnouncementBytes bounds what is read of an announcement, maxToldBytes of the
// changes of others.
const (
	maxAnnouncementBytes = 1 << 20
	maxToldBytes         = 64 << 20
)

// announce writes down what the command finds. The gate and the lock are held.
func (x *Watch) announce() error {
	k := x.p.keep
	if err := k.index.note(k.held); err != nil {
		return fmt.Errorf("list the project's files: %w", err)
	}
	data, err := json.Marshal(announcement{
		Origin: x.place.Origin, Began: x.began, Stamped: runtime.GOOS == "linux",
		Scope: tool.SaveScope(x.place.Scope), FileBytes: x.place.FileBytes,
		Pack: filepath.Base(k.pack.Name()), PackBytes: k.end, IndexBytes: k.index.size, IndexSum: k.index.sum,
	})
	if err != nil {
		return err
	}
	if err := removeIfThere(x.p.file(toldFile)); err != nil {
		return err
	}
	if err := stamp(x.lock.File()); err != nil {
		return err
	}
	return x.p.write(announceFile, data)
}

// stamp marks the time at which a command was last known to run, by the clock that
// files get their times from.
func stamp(f *os.File) error {
	_, err := f.WriteAt([]byte{'.'}, 0)
	return err
}

// announced reads the announcement, fs.ErrNotExist where there is none.
func (p *project) announced() (a announcement, err error) {
	data, _, err := durable.ReadFile(nil, p.file(announceFile), maxAnnouncementBytes)
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(data, &a); err != nil {
		return a, fmt.Errorf("%s cannot be read: %w", p.file(announceFile), err)
	}
	return a, nil
}

// clear says that no command runs. The lock is held.
func (p *project) clear() error {
	return errors.Join(removeIfThere(p.file(announceFile)), removeIfThere(p.file(toldFile)))
}

func removeIfThere(name string) error {
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
