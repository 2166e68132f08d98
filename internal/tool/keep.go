package tool

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"

	"belay/internal/durable"
)

// Keep puts data that came from outside into a folder of the session's scratch folder and
// returns the file's absolute path. The same data has the same name, which ends with ext.
func (w *Environment) Keep(folder, ext string, data []byte) (string, error) {
	sum := sha256.Sum256(data)
	name := hex.EncodeToString(sum[:8]) + ext
	if err := w.ScratchRoot.MkdirAll(folder, 0o700); err != nil {
		return "", Refuse("the answer could not be kept in the scratch folder").Because(err)
	}
	if err := durable.WriteFile(w.ScratchRoot, folder+"/"+name, data, 0o600, durable.Cache); err != nil {
		return "", Refuse("the answer could not be kept in the scratch folder").Because(err)
	}
	return filepath.Join(w.Scratch, folder, name), nil
}

// Beginning is head and a text from outside without the person's keys, of at most the
// environment's OutputBytes. Of a longer text it is the beginning, with the file of the folder that keeps all of it; then
// cut is true.
func (w *Environment) Beginning(head, text, folder string) (shown string, cut bool, err error) {
	text = w.WithoutKeys(text) // before it is cut: half a key is known to nobody
	const room = 1000          // for what is said around the text
	most := max(0, int(w.Limits.OutputBytes)-len(head)-room)
	if len(text) <= most {
		return head + text, false, nil
	}
	file, err := w.Keep(folder, ".txt", []byte(text))
	if err != nil {
		return "", false, err
	}
	end := cmp.Or(strings.LastIndexByte(text[:most], '\n')+1, most)
	return head + strings.ToValidUTF8(text[:end], "") + fmt.Sprintf("\n[%d of %d bytes; the whole text is in %s]\n", end, len(text), file), true, nil
}
