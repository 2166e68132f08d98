package attachment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"
	"unicode/utf8"

	"belay/internal/attachment/pdf"
)

// What cannot be delivered of a PDF, for the note.
const (
	pdfLocked  = unfit("it is encrypted")
	pdfDamaged = unfit("it is damaged and no reader understands it")
	pdfEmpty   = unfit("it must be sent as text, and no text was found in it (scanned pages?)")
)

// maxPDFBytes is the largest PDF that the readers take into memory.
const maxPDFBytes = 64 << 20

// planUncounted decides about a PDF that fits in bytes but whose pages the light
// reader could not count: the engine counts them, and without a count it is not
// sent. Providers refuse a whole request for one bad document.
func (p *Planner) planUncounted(ctx context.Context, it Item, src Content, l Limits) (Delivery, error) {
	r, err := p.rendition(ctx, cacheKey(it, "pdf pages"), func(ctx context.Context) (made, error) {
		x, err := p.readPDF(ctx, src, 0)
		return made{rendition: rendition{Pages: x.Pages}}, err
	})
	if err != nil {
		return Delivery{}, err
	}
	it.Pages = r.Pages
	switch {
	case r.Note != "":
		return Note(it, r.Note), nil
	case !under(int64(it.Pages), int64(l.PDFPages)):
		return p.planExtract(ctx, it, src, l, fmt.Sprintf("it has %d pages, the model takes %d", it.Pages, l.PDFPages))
	}
	return nativeDelivery(it, src), nil
}

// planExtract delivers a PDF's text.
func (p *Planner) planExtract(ctx context.Context, it Item, src Content, l Limits, reason string) (Delivery, error) {
	limit := p.opts.PDFTextBytes
	if l.TextBytes > 0 {
		limit = min(limit, l.TextBytes)
	}
	key := cacheKey(it, fmt.Sprintf("pdf text %d %d", limit, p.opts.PDFTextChars))
	r, err := p.rendition(ctx, key, func(ctx context.Context) (made, error) {
		return p.makePDFText(ctx, src, limit)
	})
	if err != nil {
		return Delivery{}, err
	}
	d := textDelivery(it, src, r)
	if r.Note == "" {
		d.Warning = fmt.Sprintf("%s: sent as its text, without pictures and layout: %s", it.Name, reason)
		if r.Cut {
			d.Warning += "; only the beginning of the text was sent"
		}
	}
	return d, nil
}

func (p *Planner) makePDFText(ctx context.Context, src Content, limit int64) (made, error) {
	// One byte more than fits shows that there is more.
	x, err := p.readPDF(ctx, src, int(limit)+1)
	if err != nil {
		return made{}, err
	}
	text := []byte(cleanText(x.Text))
	if len(bytes.TrimSpace(text)) == 0 { // thousands of empty pages are no text
		return made{}, pdfEmpty
	}
	if at := beginning(text, p.opts.PDFTextChars); at < len(text) {
		limit = min(limit, int64(at))
	}
	cut := x.Cut || int64(len(text)) > limit
	if cut {
		text = cutText(text, limit, fmt.Sprintf("%d pages", x.Pages))
	}
	m := textMade(text, cut)
	m.Pages = x.Pages
	return m, nil
}

// beginning is how many bytes the first chars characters of text take; with chars 0
// all of them.
func beginning(text []byte, chars int) int {
	if chars <= 0 || len(text) <= chars {
		return len(text)
	}
	at := 0
	for ; chars > 0 && at < len(text); chars-- {
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	return at
}

// judgedBytes is the least text that the light reader is judged by, lightTime what
// it gets: ordinary files take it milliseconds.
const (
	judgedBytes = 8 << 10
	lightTime   = 5 * time.Second
)

// readPDF asks the light reader and, unless its answer convinces, the engine. The
// text may be longer than limit; with limit 0 it only counts pages.
func (p *Planner) readPDF(ctx context.Context, src Content, limit int) (pdf.Extract, error) {
	if src.Size() > maxPDFBytes {
		return pdf.Extract{}, unfit(fmt.Sprintf("it has %d bytes, more than the %d from which text is taken", src.Size(), maxPDFBytes))
	}
	var excess *pdf.ExcessError
	x, err := readLight(ctx, src, limit)
	pages := x.Pages
	if x.Cut {
		pages = 1
	}
	switch {
	case ctx.Err() != nil:
		return pdf.Extract{}, ctx.Err()
	case err == nil && (limit == 0 || pdf.Convincing(x.Text, pages)):
		return x, nil
	case errors.As(err, &excess):
		return pdf.Extract{}, unfit(excess.Reason)
	case err != nil && !errors.Is(err, pdf.ErrUnsupported) && !errors.Is(err, pdf.ErrEncrypted) &&
		!errors.Is(err, context.DeadlineExceeded):
		return pdf.Extract{}, err
	}
	data, err := wholePDF(ctx, src)
	if err != nil {
		return pdf.Extract{}, err
	}
	x, err = p.engine.Text(ctx, data, limit)
	switch {
	case errors.Is(err, pdf.ErrEncrypted):
		return x, pdfLocked
	case errors.Is(err, pdf.ErrDamaged):
		return x, pdfDamaged
	case errors.As(err, &excess):
		return x, unfit(excess.Reason)
	case errors.Is(err, pdf.ErrTooSlow):
		return x, errTooSlow
	case err != nil:
		return x, fmt.Errorf("%w: %w", errNotNow, err)
	}
	return x, nil
}

// wholePDF reads a PDF into memory of its size and not more.
func wholePDF(ctx context.Context, src Content) ([]byte, error) {
	r, err := src.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data := make([]byte, src.Size())
	n, err := io.ReadFull(&sourceReader{ctx: ctx, r: r}, data)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // what is there may do
	}
	return data[:n], err
}

// readLight is the light reader's answer, within its time.
func readLight(ctx context.Context, src Content, limit int) (pdf.Extract, error) {
	ctx, cancel := context.WithTimeout(ctx, lightTime)
	defer cancel()
	at, closer, err := readerAt(src, maxPDFBytes)
	if err != nil {
		return pdf.Extract{}, err
	}
	defer closer.Close()
	f, err := pdf.Open(ctx, at, src.Size())
	if err != nil {
		return pdf.Extract{}, err
	}
	if limit == 0 {
		n, err := f.Pages(ctx)
		return pdf.Extract{Pages: n}, err
	}
	return f.Text(ctx, max(limit, judgedBytes)) // enough to judge by, however little is wanted
}
