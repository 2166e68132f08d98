package attachment

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
)

// File is an open file: an *[os.File], or what is in memory and is read like one.
type File interface {
	fs.File
	io.ReaderAt
	io.Seeker
}

// Opened is one file that is to become an item, however it was found.
type Opened struct {
	// File is read from its beginning. [Accept] closes it on every path.
	File File
	// Name is for people and models, with the extension if the file has one.
	Name string
	// Origin is where it came from as its author wrote it, secrets out.
	Origin string
	// Want is what its author says it is: an image, a PDF, audio, video, or a page
	// that was fetched ([KindURL]). Empty takes a file of any kind.
	Want Kind
	// Hint is the author's MIME type. It is never believed; where the bytes leave
	// open which kind of text it is, it decides.
	Hint string
}

// Terms is the configured policy: what a declared attachment may be.
type Terms struct {
	// FileBytes caps one file, inclusive; 0 means [DefaultFileBytes].
	FileBytes int64
	// HeadBytes is how much of the beginning decides the type; 0 means 3072. Less
	// than that may miss the type of a PDF behind junk.
	HeadBytes int
	// Types lists for each wanted kind the patterns of accepted MIME types
	// ("image/*"), under "" for a file of any kind. A kind without patterns takes
	// its whole family, and a file of any kind everything.
	Types map[Kind][]string
}

// Accepted is the verdict on one file: an item, or why there is none.
type Accepted struct {
	Item Item
	// Warnings are lines for people: the bytes are not what was said.
	Warnings []string
	// Refused is set instead of Item.
	Refused *Refusal
}

// Accept types, checks and stores one open file under the configured policy, as
// [Resolve] does under the strict one: the size on the descriptor, the type from
// the bytes, an image's header, text's encoding, unchanged while read.
//
// The item's kind is what the bytes are. An SVG picture is text, and a file that
// no model takes is a [KindFile].
//
// The error is ctx's, or a *fault.Error when the store fails; the file's own
// faults are a [Refusal].
func Accept(ctx context.Context, o Opened, t Terms, b BlobStore) (Accepted, error) {
	in := &intake{policy: Policy{FileBytes: cmp.Or(t.FileBytes, DefaultFileBytes)}, store: b}
	c := &candidate{path: o.Origin, file: o.File}
	defer c.close()
	a := &acceptance{intake: in, candidate: c, opened: o, terms: t}
	if err := a.run(ctx); err != nil {
		return Accepted{}, err
	}
	if c.refusal != nil {
		return Accepted{Refused: c.refusal, Warnings: a.warnings}, nil
	}
	return Accepted{Item: c.item, Warnings: a.warnings}, nil
}

// acceptance is one call of [Accept].
type acceptance struct {
	*intake
	*candidate
	opened   Opened
	terms    Terms
	warnings []string
}

func (a *acceptance) run(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !a.describe() {
		return nil
	}
	head := make([]byte, min(int64(cmp.Or(a.terms.HeadBytes, sniffBytes)), a.size))
	if _, err := a.file.ReadAt(head, 0); err != nil {
		a.refuseRead(err)
		return nil
	}
	is := identify(head, int64(len(head)) == a.size, extension(a.opened), a.opened.Hint)
	if a.opened.Want == KindAudio {
		is = asSound(is)
	}
	if !a.fits(is) {
		return nil
	}
	a.compare(is.mime)
	switch {
	case is.kind == KindImage && !decodable[is.mime]:
		is.kind = KindFile
	case is.mime == mimeHTML && a.opened.Want == KindURL:
		is.kind = KindURL
	}
	a.item = Item{
		Kind: is.kind, MIMEType: is.mime, Charset: is.charset,
		Bytes: a.size, Name: label(a.opened.Name), Origin: a.opened.Origin, Named: true,
	}
	if is.kind == KindImage && !a.measure() {
		a.unmeasured()
		return nil
	}
	return a.finish(ctx, head)
}

// describe asks the descriptor what it is and how large.
func (a *acceptance) describe() bool {
	info, err := a.file.Stat()
	if err == nil {
		_, err = a.file.Seek(0, io.SeekStart)
	}
	switch {
	case err != nil:
		a.refuseRead(err)
	case !info.Mode().IsRegular():
		a.refuseMode(info.Mode())
	case info.Size() > a.policy.FileBytes:
		a.refuse(TooLarge, "the file has %d bytes; the limit for one attachment is %d bytes (attachments.max_download_size_bytes)", info.Size(), a.policy.FileBytes)
	default:
		a.info, a.size = info, info.Size()
	}
	return a.refusal == nil
}

// finish stores the bytes and learns what only the whole file shows.
func (a *acceptance) finish(ctx context.Context, head []byte) error {
	stream := &intakeReader{ctx: ctx, src: a.file, left: a.size, head: head}
	var text *lenientCheck
	if a.item.Kind == KindText || a.item.Kind == KindURL {
		text = &lenientCheck{textCheck: newTextCheck(a.item.Charset)}
		stream.check = text
	}
	if err := a.keep(ctx, a.candidate, stream); err != nil || a.refusal != nil {
		return err
	}
	switch {
	case text != nil && text.err != nil:
		a.notText(text.err)
	case a.item.Kind == KindPDF:
		return a.countPages(ctx, a.candidate)
	}
	return nil
}

// notText is for a file that began as text and went on otherwise. Where that is
// allowed, it is one that cannot be shown.
func (a *acceptance) notText(err error) {
	if allowed := a.allowed(); len(allowed) > 0 && !matches(mimeBinary, allowed) {
		a.refuse(NotUTF8, "text must be UTF-8 or UTF-16: %v", err)
		return
	}
	a.warnings = append(a.warnings, fmt.Sprintf("it begins like %s, but it is not text: %v", a.item.MIMEType, err))
	a.item.Kind, a.item.MIMEType, a.item.Charset = KindFile, mimeBinary, ""
}

// lenientCheck keeps the first error of a check instead of ending the stream.
type lenientCheck struct {
	textCheck
	err error
}

func (c *lenientCheck) Write(p []byte) (int, error) {
	if c.err == nil {
		_, c.err = c.textCheck.Write(p)
	}
	return len(p), nil
}

func (c *lenientCheck) Finish() error {
	if c.err == nil {
		c.err = c.textCheck.Finish()
	}
	return nil
}

// setting is the name of a kind's list of types in the configuration.
func setting(want Kind) string {
	if want == "" {
		return string(KindFile)
	}
	return string(want)
}

// article names a wanted kind in a sentence.
func article(want Kind) string {
	switch want {
	case KindImage:
		return "an image"
	case KindPDF:
		return "a PDF"
	case KindAudio, KindVideo:
		return string(want)
	case KindURL:
		return "a page"
	}
	return "a file"
}

// unreadableImage says what to do about an image that nothing here decodes.
func unreadableImage(mime string) string {
	return fmt.Sprintf("%s cannot be decoded; convert it to JPEG or PNG, for example with: magick FILE out.jpg", mime)
}
