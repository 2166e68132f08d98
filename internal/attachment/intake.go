package attachment

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"io"
	"io/fs"

	_ "image/gif"  // the formats whose headers are checked
	_ "image/jpeg" // "
	_ "image/png"  // "

	_ "golang.org/x/image/bmp"  // "
	_ "golang.org/x/image/tiff" // "
	_ "golang.org/x/image/webp" // "
)

// intake reads the files of one call of [Resolve].
type intake struct {
	policy Policy
	store  BlobStore
	fence  *fence // nil where files may come from anywhere
}

// read judges c's bytes and stores them: afterwards c is refused or has its
// item. The error is the store's or ctx's.
func (in *intake) read(ctx context.Context, c *candidate) error {
	defer c.close()
	c.read = true
	head := make([]byte, min(sniffBytes, c.size))
	if _, err := c.file.ReadAt(head, 0); err != nil {
		c.refuseRead(err)
		return nil
	}
	is := sniff(head, int64(len(head)) == c.size)
	if !c.accept(is) {
		return nil
	}
	c.item = Item{
		Kind: is.kind, MIMEType: is.mime, Charset: is.charset,
		Bytes: c.size, Name: DisplayName(c.path), Origin: c.path,
	}
	stream := &intakeReader{ctx: ctx, src: c.file, left: c.size, head: head}
	switch is.kind {
	case KindImage:
		if !c.measure() {
			return nil
		}
	case KindText:
		c.item.MIMEType = c.promise.mime
		stream.check = newTextCheck(is.charset)
	}
	if err := in.keep(ctx, c, stream); err != nil || c.refusal != nil {
		return err
	}
	if is.kind == KindPDF {
		return in.countPages(ctx, c)
	}
	return nil
}

// keep stores c's bytes: afterwards c is refused or has their digest.
func (in *intake) keep(ctx context.Context, c *candidate, stream *intakeReader) error {
	sha, n, err := in.store.Put(ctx, stream, in.policy.FileBytes)
	if stream.err != nil { // the file's fault, whatever the store makes of it
		return c.refuseStream(stream.err)
	}
	if err != nil {
		return storageFault(err)
	}
	if err := stream.finish(); err != nil {
		return c.refuseStream(err)
	}
	if n != c.size || c.changed() {
		c.refuseChanged()
		return nil
	}
	c.item.SHA256 = sha
	return nil
}

// accept compares what the bytes are with what the extension promised.
func (c *candidate) accept(is found) bool {
	want := c.promise.kind
	switch {
	case is.kind == want:
		return true
	case want == KindText && is.kind == "" && !looksBinary(is.mime):
		c.refuse(NotUTF8, "text must be UTF-8, or UTF-16 with a byte order mark, and hold no NUL")
	case is.kind == KindText:
		c.refuse(KindMismatch, "the extension promises %s, but the bytes are text", c.promise.mime)
	default:
		c.refuse(KindMismatch, "the extension promises %s, but the bytes are %s", c.promise.mime, is.mime)
	}
	return false
}

// measure reads an image's header; a header that no decoder understands is not
// an image whatever its signature says.
func (c *candidate) measure() bool {
	cfg, _, err := image.DecodeConfig(io.NewSectionReader(c.file, 0, c.size))
	if err != nil || cfg.Width <= 0 || cfg.Height <= 0 {
		c.refuse(KindMismatch, "the bytes begin like %s, but the image header is broken", c.item.MIMEType)
		return false
	}
	c.item.Width, c.item.Height = cfg.Width, cfg.Height
	if !c.complete() {
		c.refuse(KindMismatch, "the bytes begin like %s, but the image ends too early or is broken", c.item.MIMEType)
		return false
	}
	return true
}

// complete finds images that were cut off, the usual damage, where the format
// says cheaply where its end is. Providers refuse a whole request for one.
func (c *candidate) complete() bool {
	ends := map[string]func(*bufio.Reader) bool{mimePNG: endsPNG, mimeJPEG: endsJPEG, mimeGIF: endsGIF}[c.item.MIMEType]
	switch {
	case ends != nil:
		return ends(bufio.NewReaderSize(io.NewSectionReader(c.file, 0, c.size), 64<<10))
	case c.item.MIMEType == mimeWebP:
		var size [4]byte
		_, err := c.file.ReadAt(size[:], 4)
		return err == nil && int64(binary.LittleEndian.Uint32(size[:]))+8 <= c.size
	}
	return true
}

// changed compares the descriptor with what it was when it was opened.
func (c *candidate) changed() bool {
	now, err := c.file.Stat()
	return err != nil || now.Size() != c.size || !now.ModTime().Equal(c.info.ModTime())
}

func (c *candidate) refuseChanged() {
	c.refuse(ChangedWhileRead, "the file was changed while it was read: %s", visible(c.path))
}

func (c *candidate) refuseRead(err error) {
	if errors.Is(err, io.EOF) {
		c.refuseChanged()
		return
	}
	if errors.Is(err, fs.ErrPermission) {
		c.refuse(NotReadable, "the file is not readable (permission denied): %s", visible(c.path))
		return
	}
	c.refuse(NotReadable, "the file could not be read: %s", visible(c.path))
}

// refuseStream turns what ended an intakeReader into a refusal; only a context's
// end is an error of the call.
func (c *candidate) refuseStream(err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, errChanged):
		c.refuseChanged()
	case errors.As(err, new(notTextError)):
		c.refuse(NotUTF8, "text must be UTF-8, or UTF-16 with a byte order mark: %v", err)
	default:
		c.refuseRead(err)
	}
	return nil
}

var errChanged = errors.New("the file changed while it was read")

// intakeReader streams a file into the store, once and in order, and holds it to
// what it was when it was opened: its size, the bytes it was typed by, and for
// text its encoding. The reason why it ended early stays in err.
type intakeReader struct {
	ctx   context.Context
	src   io.Reader
	left  int64     // bytes that must still come
	head  []byte    // bytes that must still come first
	check textCheck // nil unless text
	err   error
}

func (r *intakeReader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.next(p)
	if err != nil && err != io.EOF {
		r.err = err
		return 0, err
	}
	return n, err
}

func (r *intakeReader) next(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.src.Read(p)
	switch {
	case err != nil && err != io.EOF:
		return 0, err
	case int64(n) > r.left, err == io.EOF && int64(n) < r.left:
		return 0, errChanged
	}
	r.left -= int64(n)
	seen := min(n, len(r.head))
	if !bytes.Equal(p[:seen], r.head[:seen]) {
		return 0, errChanged
	}
	r.head = r.head[seen:]
	if r.check != nil {
		if _, err := r.check.Write(p[:n]); err != nil {
			return 0, err
		}
	}
	return n, err
}

// finish judges the stream once the store has taken it.
func (r *intakeReader) finish() error {
	if r.left != 0 {
		return errChanged
	}
	if r.check != nil {
		return r.check.Finish()
	}
	return nil
}
