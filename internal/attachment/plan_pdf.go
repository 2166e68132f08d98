package attachment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

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
	key := cacheKey(it, fmt.Sprintf("pdf text %d", limit))
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
	cut := x.Cut || int64(len(text)) > limit
	if cut {
		text = cutText(text, limit, fmt.Sprintf("%d pages", x.Pages))
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return made{}, pdfEmpty
	}
	m := textMade(text, cut)
	m.Pages = x.Pages
	return m, nil
}

// judgedBytes is the least text that the light reader is judged by.
const judgedBytes = 8 << 10

// readPDF asks the light reader and, unless its answer convinces, the engine.
// The text may be longer than limit. With limit 0 it only counts pages, with the engine alone: the light reader has
// had its chance when the file was resolved.
func (p *Planner) readPDF(ctx context.Context, src Content, limit int) (pdf.Extract, error) {
	if src.Size() > maxPDFBytes {
		return pdf.Extract{}, unfit(fmt.Sprintf("it has %d bytes, more than the %d from which text is taken", src.Size(), maxPDFBytes))
	}
	if limit > 0 {
		// Enough to judge by, however little is wanted.
		x, err := readLight(ctx, src, max(limit, judgedBytes))
		pages := x.Pages
		if x.Cut {
			pages = 1
		}
		switch {
		case err == nil && pdf.Convincing(x.Text, pages):
			return x, nil
		case ctx.Err() != nil:
			return pdf.Extract{}, ctx.Err()
		case err != nil && !errors.Is(err, pdf.ErrUnsupported) && !errors.Is(err, pdf.ErrEncrypted):
			return pdf.Extract{}, err
		}
	}
	r, err := src.Open()
	if err != nil {
		return pdf.Extract{}, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(&sourceReader{ctx: ctx, r: r}, maxPDFBytes))
	if err != nil {
		return pdf.Extract{}, err
	}
	x, err := p.engine.Text(ctx, data, limit)
	switch {
	case errors.Is(err, pdf.ErrEncrypted):
		return x, pdfLocked
	case errors.Is(err, pdf.ErrDamaged):
		return x, pdfDamaged
	case err != nil:
		return x, fmt.Errorf("%w: %w", errNotNow, err)
	}
	return x, nil
}

func readLight(ctx context.Context, src Content, limit int) (pdf.Extract, error) {
	at, closer, err := readerAt(src, maxPDFBytes)
	if err != nil {
		return pdf.Extract{}, err
	}
	defer closer.Close()
	f, err := pdf.Open(ctx, at, src.Size())
	if err != nil {
		return pdf.Extract{}, err
	}
	return f.Text(ctx, limit)
}
