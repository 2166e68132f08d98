package turn

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/event"
	"belay/internal/session"
)

// A process is killed at every look at the clock of a turn that sends a file. Afterwards the
// file is in the log and in the transcript, once, or in neither. So it is where a power cut
// took the end of the log as well.
func TestKilledWhileSending(t *testing.T) {
	t.Parallel()
	for name, cut := range map[string]bool{"killed": false, "and the end of the log is lost": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := emptyRig(t)
			r.now.Store(time.Now().UnixNano())
			r.open(writing)
			r.provider.does(says("after the crash"))
			var lost, recovered, early int
			for at, survived := 1, false; !survived; at++ {
				if at > 200 {
					t.Fatal("the child never survives")
				}
				r.file("a.txt", "for you")
				id := r.session()
				c := r.child("send", id, fmt.Sprint(at))
				for line := "-"; line != ""; {
					if line = c.hear(); strings.HasPrefix(line, "failed") {
						t.Fatal(line)
					}
					survived = survived || line == "survived"
				}
				c.kill()
				before := r.sentIn(id)
				if cut && r.cutLog(id) {
					lost++
				}
				logged := len(r.sentInLog(id))
				r.say(id, "and on")
				after, events := r.sentIn(id), r.sentInLog(id)
				if diff := cmp.Diff(after, events); diff != "" || len(after) > 1 {
					t.Errorf("killed at %d: sent (-transcript +log)\n%s", at, diff)
				}
				if len(before) > len(after) || logged > len(after) {
					t.Errorf("killed at %d: a file is gone", at)
				}
				if logged < len(after) {
					recovered++
				}
				if len(before) < len(after) {
					early++
				}
			}
			if cut && (lost == 0 || recovered == 0) {
				t.Errorf("the log lost its end %d times, and %d times the file was put back", lost, recovered)
			}
			if !cut && early == 0 {
				t.Error("it was never killed between log and transcript")
			}
		})
	}
}

// sentIn are the files that the calls of a session sent, as the transcript has them.
func (r *rig) sentIn(id string) (files []event.SentFile) {
	r.t.Helper()
	entries, err := r.engine.Transcript(r.ctx(), id)
	must(r.t, err)
	for _, e := range entries {
		if e.Kind == session.EntryTurn {
			files = append(files, sentOnRecord(entries, e.Turn)...)
		}
	}
	return files
}

// sentInLog are those that the files of its log have.
func (r *rig) sentInLog(id string) (files []event.SentFile) {
	r.t.Helper()
	paths, err := filepath.Glob(filepath.Join(r.project, ".belay/sessions", id, "log/*.jsonl"))
	must(r.t, err)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		must(r.t, err)
		for line := range bytes.Lines(data) {
			var e struct {
				Type event.Type
				Data event.SentFile
			}
			if bytes.Contains(line, []byte(`"attachment:add"`)) {
				must(r.t, json.Unmarshal(line, &e))
				files = append(files, e.Data)
			}
		}
	}
	return files
}

// cutLog takes the end of a log from its first file that was sent on, as a power cut does.
func (r *rig) cutLog(id string) bool {
	r.t.Helper()
	paths, err := filepath.Glob(filepath.Join(r.project, ".belay/sessions", id, "log/*.jsonl"))
	must(r.t, err)
	slices.Sort(paths)
	for i, path := range paths {
		data, err := os.ReadFile(path)
		must(r.t, err)
		at := bytes.Index(data, []byte(`"attachment:add"`))
		if at < 0 {
			continue
		}
		must(r.t, os.Truncate(path, int64(bytes.LastIndexByte(data[:at], '\n')+1)))
		for _, later := range paths[i+1:] {
			must(r.t, os.Remove(later))
		}
		return true
	}
	return false
}
