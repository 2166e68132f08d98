package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"slices"

	"belay/internal/attachment"
	"belay/internal/durable"
	"belay/internal/session"
	"belay/internal/turn/conversation"
)

// modelFiles delivers the files of a turn for its model, and keeps results that the
// model gets cut in the session's scratch folder.
type modelFiles struct{ run *Run }

var _ conversation.Files = modelFiles{}

// Deliver implements [conversation.Files]. A file whose bytes are gone from the store is
// a note: a conversation must not become unsendable because somebody tidied up.
func (f modelFiles) Deliver(it attachment.Item, l attachment.Limits, many bool) (attachment.Delivery, error) {
	content, err := f.run.Blobs.Content(it.SHA256)
	if errors.Is(err, session.ErrNoBlob) {
		return attachment.Note(it, "its bytes are no longer in the project's store"), nil
	}
	if err != nil {
		return attachment.Delivery{}, err
	}
	return f.run.FilePlanner.Plan(f.run.Context, it, content, l, many)
}

// readTool shows files of the project and of the scratch folder, page by page.
const readTool = "read"

// Keep implements [conversation.Files]: the model sees the result by the same call again
// where that reads a file, else in a file that is made for it.
func (f modelFiles) Keep(name, text string) string {
	if name != readTool && slices.Contains(f.run.Tools.Names(), readTool) {
		path := f.path(text)
		err := f.write(path, text)
		if err == nil {
			return keptIn(path)
		}
		f.run.Logger.Error("keep a result", "session", f.run.SessionID, "error", err)
	}
	return "call " + name + " again to see the rest"
}

// NoteBytes implements [conversation.Files].
func (f modelFiles) NoteBytes() int { return len(keptIn(f.path(""))) }

func keptIn(path string) string { return "all of it is in " + path + ", which " + readTool + " shows" }

// resultsDir is the folder, in the session's scratch folder, of results that the
// model's context has no room for.
const resultsDir = "results"

// path is where a result is kept. The same text has the same name.
func (f modelFiles) path(text string) string {
	sum := sha256.Sum256([]byte(text))
	return filepath.Join(f.run.ScratchDir, f.run.SessionID, resultsDir, hex.EncodeToString(sum[:8])+".txt")
}

func (f modelFiles) write(path, text string) error {
	if f.run.environment == nil || f.run.environment.ScratchRoot == nil {
		return errors.New("the turn has no scratch folder")
	}
	if err := f.run.environment.ScratchRoot.MkdirAll(resultsDir, 0o700); err != nil {
		return err
	}
	return durable.WriteFile(f.run.environment.ScratchRoot, resultsDir+"/"+filepath.Base(path), []byte(text), 0o600, durable.Cache)
}
