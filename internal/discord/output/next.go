package output

import (
	"strconv"
	"strings"

	"belay/internal/discord/split"
)

// nothing stands where an agent put out neither text nor a file.
const nothing = "*The answer is empty.*"

// Next returns the next operation, and false while there is none. Before the end it
// never uploads later files, and it deletes nothing.
func (a *Answer) Next() (Op, bool) {
	if a.dead {
		return Op{}, false
	}
	want := a.want()
	for i, w := range want {
		if i == len(a.texts) {
			return a.create(w), true
		}
		if m := a.texts[i]; m.differs(w.text) && (a.ended || m.refused != w.text) {
			return Op{Kind: Edit, Key: m.Key, ID: m.ID, Text: w.text}, true
		}
	}
	if !a.ended {
		return Op{}, false
	}
	for i := len(a.texts) - 1; i >= len(want); i-- {
		if op, ok := surplus(a.texts[i]); ok {
			return op, true
		}
	}
	if files := a.batch(); len(files) > 0 {
		return Op{Kind: Create, Key: "f" + strconv.Itoa(len(a.files)), ReplyTo: a.last(), Files: files}, true
	}
	return Op{}, false
}

// textKey is the key of a message of text.
func textKey(i int) string { return "t" + strconv.Itoa(i) }

// wanted is a message of text.
type wanted struct {
	text string
	// begins is the lane that begins with the message, nil within one.
	begins *lane
}

// want are the messages of all lanes.
func (a *Answer) want() (all []wanted) {
	for i := range a.lanes {
		end := len(a.text)
		if i+1 < len(a.lanes) {
			end = a.lanes[i+1].from
		}
		begins := &a.lanes[i]
		for _, text := range a.split(a.text[begins.from:end], i+1 == len(a.lanes)) {
			if line := a.refused[textKey(len(all))]; line != "" {
				text = line
			}
			all = append(all, wanted{text, begins})
			begins = nil
		}
	}
	return all
}

// split is a part of the text in messages. The notes follow the last part.
func (a *Answer) split(text string, last bool) []string {
	text = strings.TrimSpace(text)
	if a.ended && last {
		for _, more := range append(a.notes[:len(a.notes):len(a.notes)], a.note) {
			if more != "" {
				text = strings.TrimSpace(text + "\n\n" + more)
			}
		}
		if text == "" && len(a.known) == 0 && len(a.lanes) == 1 {
			text = nothing
		}
	}
	var want []string
	for _, p := range split.Split(text, a.limits.Characters) {
		if !p.Blank() {
			want = append(want, strings.TrimRight(p.String(), " \n"))
		}
	}
	return want
}

// create is the next message of text. The first one takes the files that are there,
// those that failed together excepted.
func (a *Answer) create(w wanted) Op {
	op := Op{Kind: Create, Key: textKey(len(a.texts)), ReplyTo: a.last(), Text: w.text}
	if w.begins != nil && (len(a.lanes) > 1 || w.begins.replyTo != "") {
		op.ReplyTo = w.begins.replyTo
	}
	if len(a.texts)+len(a.files) == 0 && len(a.pending) > 0 && !a.pending[0].alone {
		op.Files = a.batch()
	}
	return op
}

// surplus is what to do with a message of text that a shorter text does not need any
// more. One with files stays, without text.
func surplus(m message) (Op, bool) {
	switch {
	case m.gone:
		return Op{}, false
	case len(m.Files) == 0:
		return Op{Kind: Delete, Key: m.Key, ID: m.ID}, true
	}
	return Op{Kind: Edit, Key: m.Key, ID: m.ID}, m.differs("")
}

// last is the newest message that people see, "" while there is none.
func (a *Answer) last() string {
	if n := len(a.files); n > 0 {
		return a.files[n-1].ID
	}
	for i := len(a.texts) - 1; i >= 0; i-- {
		if !a.texts[i].gone {
			return a.texts[i].ID
		}
	}
	return ""
}

// batch is the next message's share of the files that wait, in their order.
func (a *Answer) batch() []File {
	var (
		files []File
		total int64
	)
	for _, u := range a.pending {
		if len(files) == a.limits.Files || total+u.Size > a.limits.RequestBytes || u.alone && len(files) > 0 {
			break
		}
		files = append(files, u.File)
		total += u.Size
		if u.alone {
			break
		}
	}
	return files
}
