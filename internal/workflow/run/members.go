package run

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"belay/internal/durable"
	"belay/internal/plainjson"
)

// largeCollection is how many items a collection has at most whose tasks each have files
// of their own: a record, and a session. The tasks of a larger one share a file of
// records, and take turns in sessions.
const largeCollection = 50

// fileMembers has the records of the tasks in large collections, a line each time that one
// of them changes. The last line of a task counts.
const fileMembers = "members.jsonl"

// members writes that file. It is safe for concurrent use; the zero value is ready.
type members struct {
	mu    sync.Mutex
	lines *durable.Lines
	// flushes joins those of tasks that end at the same time.
	flushes *durable.Committer
}

// put adds a record. With flush it is on disk when put returns.
func (m *members) put(ctx context.Context, f *folder, t *Task, flush bool) error {
	data, err := plainjson.Marshal(taskFile{formatVersion, *t})
	if err != nil {
		return err
	}
	m.mu.Lock()
	if m.lines == nil {
		err = m.open(f)
	}
	if err == nil {
		err = m.lines.Append(append(data, '\n'))
	}
	lines := m.lines
	m.mu.Unlock()
	if err == nil && flush {
		err = m.flushes.Commit(context.WithoutCancel(ctx), lines)
	}
	if err != nil {
		return storage("the run's record could not be written", err)
	}
	return nil
}

// open opens the file. The file counts as open once its name is on disk, too: without that
// a power cut takes it with all records. m.mu must be held.
func (m *members) open(f *folder) error {
	lines, err := durable.OpenLines(f.root, fileMembers, 0o600, durable.RunRecord)
	if err != nil {
		return err
	}
	if err := durable.FlushDir(f.root, ".", durable.RunRecord); err != nil {
		return errors.Join(err, lines.Close())
	}
	m.lines, m.flushes = lines, durable.NewCommitter(1)
	return nil
}

func (m *members) close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lines == nil {
		return nil
	}
	return errors.Join(m.flushes.Close(), m.lines.Close())
}

// members reads the records of the tasks in large collections: those that want names, all
// for nil.
func (f *folder) members(want func(key string) bool) (map[string]Task, error) {
	file, _, err := durable.OpenRegular(f.root, fileMembers)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(f.id, fileMembers, err)
	}
	defer file.Close()
	all := map[string]Task{}
	_, err = durable.Scan(file, maxRecord, func(line []byte, _ int64) error {
		var t Task
		if err := decodeFile(fileMembers, line, &t); err != nil {
			return err
		}
		if !keyPattern.MatchString(t.Key) {
			return errors.New("a line of it is about no task")
		}
		if want == nil || want(t.Key) {
			t.Item, t.Input, t.Output, t.Answer = plainjson.Numbers(t.Item), plainjson.Numbers(t.Input), plainjson.Numbers(t.Output), plainjson.Numbers(t.Answer)
			t.many = true
			all[t.Key] = t
		}
		return nil
	})
	if err != nil {
		return nil, unreadable(f.id, fileMembers, err)
	}
	return all, nil
}
