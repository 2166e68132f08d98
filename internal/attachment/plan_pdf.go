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

// planUncounted decides about a PDF that fits in bytes but whose pages could
// not be counted at once: the engine counts them, and without a count it is not
// sent. Providers refuse a whole request for one bad document.
func (p *Planner) planUncounted(ctx context.Context, it Item, src Content, l Limits) (Delivery, error) {
	r, err := p.rendition(ctx, cacheKey(it, "pdf pages"), pdfQueue*p.opts.WorkTime, func(ctx context.Context) (made, error) {
		x, err := p.readPDF(ctx, src, pdf.Extent{})
		return made{rendition: rendition{Pages: x.Pages}}, err
	})
	if err != nil {
		return Delivery{}, err
	}
	it.Pages = r.Pages
	if r.Note != "" {
		return Note(it, r.Note), nil
	}
	if c := decidePages(it, l); c.how == extract {
		return p.planExtract(ctx, it, src, l, c.reason)
	}
	return nativeDelivery(it, src), nil
}

// decidePages decides about a PDF whose pages are counted and whose bytes fit.
func decidePages(it Item, l Limits) choice {
	switch {
	case it.MaxPages > 0 && it.MaxPages < it.Pages:
		return choice{how: extract, reason: "not all of its pages are wanted"}
	case !under(int64(it.Pages), int64(l.PDFPages)):
		return choice{how: extract, reason: fmt.Sprintf("it has %d pages, the model takes %d", it.Pages, l.PDFPages)}
	}
	return choice{how: sendNative}
}

// planExtract delivers a PDF's text.
func (p *Planner) planExtract(ctx context.Context, it Item, src Content, l Limits, reason string) (Delivery, error) {
	limit := int64(maxPDFText)
	if l.TextBytes > 0 {
		limit = min(limit, l.TextBytes)
	}
	recipe := fmt.Sprintf("pdf text %d %d", limit, p.opts.PDFTextChars)
	if it.MaxPages > 0 {
		recipe += fmt.Sprintf(" of %d pages", it.MaxPages)
	}
	key := cacheKey(it, recipe)
	r, err := p.rendition(ctx, key, pdfQueue*p.opts.WorkTime, func(ctx context.Context) (made, error) {
		return p.makePDFText(ctx, src, pdf.Extent{Bytes: int(limit), Pages: it.MaxPages})
	})
	if err != nil {
		return Delivery{}, err
	}
	d := textDelivery(it, src, r)
	if r.Note == "" {
		d.Warning = fmt.Sprintf("%s: sent as its text, without pictures and layout: %s", it.Name, reason)
		if it.MaxPages > 0 && it.MaxPages < r.Pages {
			d.Warning += fmt.Sprintf("; the first %d of its %d pages (max_pages)", it.MaxPages, r.Pages)
		}
		if r.Cut {
			d.Warning += "; only the beginning of the text was sent"
		}
	}
	return d, nil
}

// makePDFText extracts the text that is wanted. Where that is not all pages, its
// last line says so.
func (p *Planner) makePDFText(ctx context.Context, src Content, want pdf.Extent) (made, error) {
	limit := int64(want.Bytes)
	want.Bytes++ // one byte more than fits shows that there is more
	x, err := p.readPDF(ctx, src, want)
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
	over, how := x.Cut || int64(len(text)) > limit, uncut
	note := ""
	switch {
	case over:
		note = cutNote(fmt.Sprintf("%d pages", x.Pages))
	case want.Pages > 0 && want.Pages < x.Pages:
		note = fmt.Sprintf("\n[the first %d of %d pages]\n", want.Pages, x.Pages)
	}
	switch {
	case note == "":
	case over || int64(len(text)+len(note)) > limit:
		text, how = cutText(text, limit, note)
	default:
		text = append(text, note...)
	}
	m := textMade(text, how)
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

// countTime bounds the counting of one PDF's pages without the engine. Ordinary files take a
// millisecond; only one made to be slow comes near it.
const countTime = 2 * time.Second

// pdfQueue is how much longer a PDF may wait for those before it than it may be worked on: the
// engine reads one at a time.
const pdfQueue = 10

// readPDF reads the text that is wanted, or counts the pages. The engine is asked only for what
// the counter does not know, and never for files that were plainly made to cost.
func (p *Planner) readPDF(ctx context.Context, src Content, want pdf.Extent) (pdf.Extract, error) {
	if src.Size() > maxPDFBytes {
		return pdf.Extract{}, unfit(fmt.Sprintf("it has %d bytes, more than the %d from which text is taken", src.Size(), maxPDFBytes))
	}
	var excess *pdf.ExcessError
	pages, err := p.countPages(ctx, src)
	switch {
	case ctx.Err() != nil:
		return pdf.Extract{}, ctx.Err()
	case err == nil && want.Bytes == 0:
		return pdf.Extract{Pages: pages}, nil
	case errors.As(err, &excess):
		return pdf.Extract{}, unfit(excess.Reason)
	case errors.Is(err, pdf.ErrDamaged):
		return pdf.Extract{}, pdfDamaged
	case err != nil && !errors.Is(err, pdf.ErrUnsupported) && !errors.Is(err, pdf.ErrEncrypted) &&
		!errors.Is(err, context.DeadlineExceeded):
		return pdf.Extract{}, err
	}
	x, err := p.readWhole(ctx, src, want)
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

// countPages counts without the engine.
func (p *Planner) countPages(ctx context.Context, src Content) (int, error) {
	if err := p.counts.Acquire(ctx, 1); err != nil {
		return 0, err
	}
	defer p.counts.Release(1)
	ctx, cancel := context.WithTimeout(ctx, countTime)
	defer cancel()
	at, closer, err := readerAt(src, maxPDFBytes)
	if err != nil {
		return 0, err
	}
	defer closer.Close()
	return pdf.CountPages(ctx, at, src.Size())
}

// readWhole is the engine's answer. A file waits for its turn on disk: the engine reads one at
// a time.
func (p *Planner) readWhole(ctx context.Context, src Content, want pdf.Extent) (pdf.Extract, error) {
	if err := p.wholePDFs.Acquire(ctx, 1); err != nil {
		return pdf.Extract{}, err
	}
	defer p.wholePDFs.Release(1)
	data, err := wholePDF(ctx, src)
	if err != nil {
		return pdf.Extract{}, err
	}
	return p.engine.Text(ctx, data, want)
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
