package turn

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"path/filepath"
	"slices"

	"belay/internal/durable"
	"belay/internal/session"
)

// leastText is what every text of the last round keeps, in bytes, however little
// room there is: with less a result says nothing.
const leastText = 256

// fitRound makes the last round fit into the room, as far as that can be done:
// its files are delivered as less, where they take more than half of it, and the
// longest of its texts are cut. The transcript has all of them. Some of the room
// stays free, so that the round is not left out as soon as the next follows.
func (t *running) fitRound(r *round, room load) error {
	if r.load.fits(room) {
		return nil
	}
	room = room.part(lowWater).minus(r.said)
	texts := r.texts()
	if err := t.lessen(r.items(), r.files, room.minus(r.weigh(texts).upTo(room.part(0.5))), r.many); err != nil {
		return err
	}
	room = room.minus(filesLoad(r.files))
	sizes := make([]int, len(texts))
	for i, text := range texts {
		sizes[i] = len(text)
	}
	// What weighs beside each text: its entry, and the note where it is cut.
	beside := entryBytes + int(tokens(0))*bytesPerToken + len(cutNote(math.MaxInt, keptIn(t.resultPath(""))))
	total := int(min(room.tokens*bytesPerToken, room.bytes/jsonBytes(1))) - beside*len(texts)
	r.most = max(share(sizes, max(total, 0)), leastText)
	err := t.keepCut(r)
	r.build()
	return err
}

// share is the most bytes that each of some texts may have so that they fit into
// total together: short ones are left alone.
func share(sizes []int, total int) int {
	sizes = slices.Sorted(slices.Values(sizes))
	for i, n := range sizes {
		if each := total / (len(sizes) - i); n > each {
			return max(each, 0)
		}
		total -= n
	}
	return math.MaxInt
}

// keepCut notes of each result that is cut how the model can see all of it. A
// file of which it is shown a part does not count as seen, which goes on record.
// The person is told once in a turn.
func (t *running) keepCut(r *round) error {
	r.whole = make([]string, len(r.results))
	for i, b := range r.results {
		if len(b.Text) <= r.most {
			continue
		}
		r.whole[i] = t.retain(b.Name, b.Text)
		if !t.trimmed {
			t.trimmed = true
			if err := t.warn("RESULT_CUT", "what "+b.Name+" gave is more than the model can hold; it gets such results cut, and the transcript has them whole"); err != nil {
				return err
			}
		}
		for _, path := range b.looked {
			t.place.Seen.Unsee(path)
		}
	}
	if t.place == nil || t.place.Seen == nil {
		return nil
	}
	unseen := t.place.Seen.Take()
	if len(unseen) == 0 {
		return nil
	}
	return t.append(session.Entry{Kind: session.EntryTools, Turn: t.id, Time: session.Time{Time: t.l.o.Clock()}, Seen: unseen})
}

// readTool shows files of the project and of the scratch folder, page by page.
const readTool = "read"

// retain says how the model can see a result of which it has only a part, or which
// it has no more: by the same call again where that reads a file, else in a file
// that is made for it.
func (t *running) retain(name, text string) string {
	if name != readTool && slices.Contains(t.tools.Names(), readTool) {
		path := t.resultPath(text)
		err := t.writeResult(path, text)
		if err == nil {
			return keptIn(path)
		}
		t.l.o.Logger.Error("keep a result", "session", t.session, "error", err)
	}
	return "call " + name + " again to see the rest"
}

func keptIn(path string) string { return "all of it is in " + path + ", which " + readTool + " shows" }

// resultsDir is the folder, in the session's scratch folder, of results that the
// model's context has no room for.
const resultsDir = "results"

// resultPath is where a result is kept. The same text has the same name.
func (t *running) resultPath(text string) string {
	sum := sha256.Sum256([]byte(text))
	return filepath.Join(t.l.o.ScratchDir, t.session, resultsDir, hex.EncodeToString(sum[:8])+".txt")
}

func (t *running) writeResult(path, text string) error {
	if t.place == nil || t.place.ScratchRoot == nil {
		return errors.New("the turn has no scratch folder")
	}
	if err := t.place.ScratchRoot.MkdirAll(resultsDir, 0o700); err != nil {
		return err
	}
	return durable.WriteFile(t.place.ScratchRoot, resultsDir+"/"+filepath.Base(path), []byte(text), 0o600, durable.Cache)
}
