package attachment

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

var utf8BOM = []byte{0xef, 0xbb, 0xbf}

// planText delivers text as UTF-8 without a byte order mark, cut at the model's
// limit.
func (p *Planner) planText(ctx context.Context, it Item, src Content, l Limits) (Delivery, error) {
	key := cacheKey(it, fmt.Sprintf("text %s %d", it.Charset, l.TextBytes))
	r, err := p.rendition(ctx, key, p.opts.WorkTime, func(ctx context.Context) (made, error) {
		return makeText(ctx, it, src, l.TextBytes)
	})
	if err != nil {
		return Delivery{}, err
	}
	d := textDelivery(it, src, r)
	if r.Note == "" && r.Cut {
		d.Warning = fmt.Sprintf("%s: only the beginning was sent: it has %d bytes, and %d of text are taken", it.Name, it.Bytes, l.TextBytes)
	}
	return d, nil
}

// textDelivery is a text document: the item's own bytes or a rendition's.
func textDelivery(it Item, src Content, r rendition) Delivery {
	if r.Note != "" {
		return Note(it, r.Note)
	}
	d := Delivery{Used: usedText, Tokens: textTokens(r.Bytes), WireBytes: r.Escaped + blockBytes + escapedLen(it.Name)}
	if r.Original {
		d.Used, r.content = usedNative, src
	}
	d.Parts = []Part{TextDocumentPart{Name: it.Name, MIMEType: it.MIMEType, Content: r.content}}
	if r.Bare {
		text := fmt.Sprintf("[Of the attachment %q only the first %d bytes of text follow; it goes on.]", label(it.Name), r.Bytes)
		d.Parts = append([]Part{TextPart{Text: text}}, d.Parts...)
		d.WireBytes += escapedLen(text) + blockBytes
		d.Tokens += textTokens(int64(len(text)))
	}
	return d
}

// makeText converts, strips and cuts, or finds that nothing need be done.
func makeText(ctx context.Context, it Item, src Content, limit int64) (made, error) {
	f, err := src.Open()
	if err != nil {
		return made{}, err
	}
	defer f.Close()
	in := bufio.NewReaderSize(&sourceReader{ctx: ctx, r: f}, 64<<10)
	head, _ := in.Peek(len(utf8BOM)) // an error shows again below
	marked := bytes.HasPrefix(head, utf8BOM)
	if it.Charset == "" && !marked && under(src.Size(), limit) {
		count, check := &escapeCounter{}, newTextCheck("")
		n, err := io.Copy(io.MultiWriter(count, check), in)
		if err == nil {
			err = check.Finish()
		}
		if err == nil && count.blank() {
			return made{}, textBlank
		}
		return made{rendition: rendition{Original: true, Bytes: n, Escaped: count.n}}, notText(err)
	}
	text, how, err := readText(decoded(in, it.Charset, marked), limit, it.Bytes)
	switch {
	case err != nil:
		return made{}, notText(err)
	case !utf8.Valid(text):
		return made{}, textBroken
	case len(bytes.TrimSpace(text)) == 0:
		return made{}, textBlank
	}
	return textMade(text, how), nil
}

// What cannot be delivered of a text file, for the note.
const (
	textBlank  = unfit("there is no text in it")
	textBroken = unfit("it is not text")
)

// notText makes a failed check or conversion a fault of the content.
func notText(err error) error {
	if errors.As(err, new(notTextError)) {
		return textBroken
	}
	return err
}

// textMade is the rendition of text in memory.
func textMade(text []byte, how cut) made {
	return made{
		rendition: rendition{MIMEType: mimeText, Escaped: escapedLen(text), Cut: how != uncut, Bare: how == cutBare},
		data:      text,
	}
}

// decoded yields UTF-8 without byte order mark, which UTF-16 may have.
func decoded(r *bufio.Reader, charset string, marked bool) io.Reader {
	switch {
	case charset == charsetUTF16LE:
		return transform.NewReader(r, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder())
	case charset == charsetUTF16BE:
		return transform.NewReader(r, unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder())
	case charset != "":
		if e, err := htmlindex.Get(charset); err == nil {
			return transform.NewReader(r, e.NewDecoder())
		}
	case marked:
		_, _ = r.Discard(len(utf8BOM)) // they were peeked
	}
	return r
}

// cut says whether text was cut, and whether its last line says so.
type cut int

const (
	uncut cut = iota
	cutNoted
	// cutBare is text of which such a line would take more than half: a part before it says so.
	cutBare
)

// readText reads at most limit bytes. Longer text is cut at a line's end, or a
// character's, and says so in its last line, which is within the limit too.
func readText(r io.Reader, limit, originalBytes int64) (text []byte, how cut, err error) {
	if limit <= 0 {
		text, err = io.ReadAll(r)
		return text, uncut, err
	}
	text, err = io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil || int64(len(text)) <= limit {
		return text, uncut, err
	}
	text, how = cutText(text, limit, cutNote(fmt.Sprintf("%d bytes", originalBytes)))
	return text, how, nil
}

// cutNote is the last line of text that was cut.
func cutNote(whole string) string {
	return fmt.Sprintf("\n[cut here: the file goes on, in all %s]\n", whole)
}

// cutText cuts text to limit bytes including its last line, the note.
func cutText(text []byte, limit int64, note string) ([]byte, cut) {
	room, how := int(limit)-len(note), cutNoted
	if room < len(note) {
		room, note, how = int(limit), "", cutBare
	}
	text = text[:min(room, len(text))]
	for i := len(text) - 1; i >= 0 && i >= len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				text = text[:i]
			}
			break
		}
	}
	if i := bytes.LastIndexByte(text, '\n'); i > len(text)/2 {
		text = text[:i]
	}
	return append(text, note...), how
}

// cleanText drops the control characters that extraction may leave in text.
func cleanText(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' && r != '\f' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
