package validate

import (
	"belay/internal/workspace/dir"
	"belay/internal/workspace/document"
	"belay/internal/workspace/scan"
)

// read reads a file of the current folder; the bytes are valid until the next call.
// It is false where the folder does not have it, and where it cannot be read,
// which is a finding.
func (w *worker) read(file scan.Files, name string) ([]byte, bool) {
	if !w.folder.Files.Has(file) {
		return nil, false
	}
	return w.readIn(w.open, name, w.path(name))
}

// readIn reads a file of an open folder; at is what findings call it.
func (w *worker) readIn(d dir.Dir, name, at string) ([]byte, bool) {
	most := int(w.project.o.FileBytes)
	data, ok := w.begin(d, name, at, most)
	if ok && len(data) > most {
		w.add(ruleTooLarge.At(at, 0, "has more than %d bytes", most))
		return nil, false
	}
	return data, ok
}

// begin reads the first bytes of a file, one more than most where it has more.
func (w *worker) begin(d dir.Dir, name, at string, most int) ([]byte, bool) {
	data, err := d.Read(name, w.buffer, most+1)
	switch {
	case dir.Gone(err):
		return nil, false
	case err != nil:
		w.add(ruleFileUnreadable.At(at, 0, "cannot be read: %s", dir.Reason(err)))
		return nil, false
	}
	w.keep(data)
	return data, true
}

// keep counts a file that was read into data, and keeps the memory.
func (w *worker) keep(data []byte) {
	w.files++
	if cap(data) <= keepBuffer {
		w.buffer = data
	}
}

// keepBuffer is how much memory a goroutine keeps between files.
const keepBuffer = 4 << 20

// document reads a Markdown file of the current folder.
func (w *worker) document(file scan.Files, name string) (*text, bool) {
	data, ok := w.read(file, name)
	if !ok {
		return nil, false
	}
	return w.text(data, w.path(name), w.folder.ID)
}

func (w *worker) text(data []byte, at, id string) (*text, bool) {
	t := &text{doc: document.Parse(data), w: w, path: at, id: id}
	if !t.doc.Valid() {
		t.add(ruleNotText.At(at, 0, "the file is not UTF-8 text, or has NUL bytes"))
		return nil, false
	}
	return t, true
}
