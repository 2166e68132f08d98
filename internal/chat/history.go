package chat

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/plainjson"
)

// What the history keeps at most.
const (
	maxRemembered     = 1000
	maxRememberedText = 16 << 10
	maxHistoryFile    = 4 << 20
	maxHistoryRead    = 16 << 20 // an earlier belay wrote more than is kept now
	historyPatience   = 2 * time.Second
)

// history is what was typed, oldest first, in a file that all chats of this user
// share: a JSON string a line, readable by the user alone.
type history struct {
	path string
	all  []string
	// at is the place in all while a person goes through it, len(all) for the
	// text that they were typing, which draft keeps.
	at    int
	draft string
}

// openHistory reads the file at path; "" keeps the history of this chat only. It
// returns a history also with an error.
func openHistory(path string) (*history, error) {
	all, err := readHistory(path)
	return &history{path: path, all: all, at: len(all)}, err
}

func readHistory(path string) ([]string, error) {
	if path == "" {
		return nil, nil
	}
	data, _, err := durable.ReadFile(nil, path, maxHistoryRead)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, durable.ErrTooLarge) { // it is begun anew
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	var all []string
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxHistoryRead)
	for lines.Scan() {
		var s string
		if json.Unmarshal(lines.Bytes(), &s) == nil { // a damaged line costs itself
			all = append(all, s)
		}
	}
	return all[max(0, len(all)-maxRemembered):], nil
}

// add remembers a text, unless it is blank, very long, or the same as the last,
// and reports whether it did.
func (h *history) add(s string) bool {
	h.at, h.draft = len(h.all), ""
	if strings.TrimSpace(s) == "" || len(s) > maxRememberedText || len(h.all) > 0 && h.all[len(h.all)-1] == s {
		return false
	}
	h.all = append(h.all, s)
	h.all = h.all[max(0, len(h.all)-maxRemembered):]
	h.at = len(h.all)
	return true
}

// save adds a text to the file, with whatever other chats have added meanwhile, each as clean
// returns it: an earlier belay kept keys. It may run beside everything else.
func (h *history) save(s string, clean func(string) string) (err error) {
	if h.path == "" {
		return nil
	}
	dir := filepath.Dir(h.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("keep the history: %w", err)
	}
	lock, err := lockHistory(h.path + ".lock")
	if err != nil {
		return fmt.Errorf("keep the history: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	all, err := readHistory(h.path)
	if err != nil {
		return err
	}
	all = append(all, s)
	for i, text := range all {
		all[i] = clean(text)
	}
	data, err := encodeHistory(all)
	if err != nil {
		return fmt.Errorf("keep the history: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("keep the history: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return durable.WriteFile(root, filepath.Base(h.path), data, 0o600, durable.ChatHistory)
}

// encodeHistory is the file with the newest texts: as many as are kept and fit.
func encodeHistory(all []string) ([]byte, error) {
	var lines []string
	size := 0
	for _, text := range slices.Backward(all[max(0, len(all)-maxRemembered):]) {
		line, err := plainjson.Marshal(text)
		if err != nil {
			return nil, err
		}
		if size += len(line) + 1; size > maxHistoryFile {
			break
		}
		lines = append(lines, string(line)+"\n")
	}
	slices.Reverse(lines)
	return []byte(strings.Join(lines, "")), nil
}

func lockHistory(path string) (*durable.FileLock, error) {
	for end := time.Now().Add(historyPatience); ; time.Sleep(10 * time.Millisecond) {
		lock, err := durable.Lock(path)
		if err == nil || !errors.Is(err, durable.ErrLocked) || time.Now().After(end) {
			return lock, err
		}
	}
}

// older is the text before the one on show; current is kept to come back to.
func (h *history) older(current string) (string, bool) {
	if h.at == 0 {
		return "", false
	}
	if h.at == len(h.all) {
		h.draft = current
	}
	h.at--
	return h.all[h.at], true
}

// find is the last text before the one on show that has the words of a query, in
// whatever case; current is kept to come back to.
func (h *history) find(query, current string) (string, bool) {
	for i := h.at - 1; i >= 0; i-- {
		if has(h.all[i], query) && h.all[i] != current {
			if h.at == len(h.all) {
				h.draft = current
			}
			h.at = i
			return h.all[i], true
		}
	}
	return "", false
}

// recalled reports whether a text from before is on show.
func (h *history) recalled() bool { return h.at < len(h.all) }

// newer is the text after the one on show.
func (h *history) newer() (string, bool) {
	if h.at >= len(h.all) {
		return "", false
	}
	if h.at++; h.at == len(h.all) {
		return h.draft, true
	}
	return h.all[h.at], true
}
