package attachment

import (
	"context"
	"fmt"
	"slices"
)

// The values of Delivery.Used.
const (
	usedNative     = "native"
	usedDownscaled = "downscaled"
	usedReencoded  = "re-encoded"
	usedText       = "text"
	usedNote       = "note"
)

// Plan says how item reaches a model with limits l, making a rendition of src if
// that takes one. manyImages holds images to ManyImagesSide.
//
// The result depends on the item's bytes and the limits alone, so equal history
// gives equal requests. Content that cannot be delivered becomes a note that
// names file, type and reason; the error is ctx's, or a *fault.Error when
// stored bytes or the cache cannot be read or written.
func (p *Planner) Plan(ctx context.Context, it Item, src Content, l Limits, manyImages bool) (Delivery, error) {
	if err := ctx.Err(); err != nil {
		return Delivery{}, err
	}
	c := p.decide(it, l, manyImages)
	switch c.how {
	case sendNative:
		return nativeDelivery(it, src), nil
	case redraw:
		return p.planImage(ctx, it, src, c)
	case askPages:
		return p.planUncounted(ctx, it, src, l)
	case extract:
		return p.planExtract(ctx, it, src, l, c.reason)
	case sendText:
		return p.planText(ctx, it, src, l)
	}
	return Note(it, c.reason), nil
}

// how is one way of delivering an item.
type how int

const (
	leaveOut   how = iota // a note instead
	sendNative            // the bytes as they are
	redraw                // an image: decode, shrink, encode
	askPages              // a PDF whose pages must be counted before it can be decided
	extract               // a PDF: its text
	sendText              // text: as it is, or converted and cut
)

// choice is a row of the table in decide.
type choice struct {
	how how
	// reason says why the item is not sent as it is.
	reason string
	// Of a redraw: the largest side and size, and the types that may result.
	side  int
	bytes int64
	types []string
}

// decide is the whole policy of delivery. Limits of zero do not limit, except
// that a model without image types takes no images.
func (p *Planner) decide(it Item, l Limits, manyImages bool) choice {
	side := l.ImageSide
	if manyImages && l.ManyImagesSide > 0 && (side <= 0 || l.ManyImagesSide < side) {
		side = l.ManyImagesSide
	}
	var (
		image     = it.Kind == KindImage
		listed    = slices.Contains(l.ImageTypes, it.MIMEType)
		imageFits = under(it.Bytes, l.ImageBytes) && under(int64(max(it.Width, it.Height)), int64(side))
		targets   = encodable(l.ImageTypes)
		bomb      = int64(it.Width)*int64(it.Height) > p.opts.MaxPixels

		document = it.Kind == KindPDF
		pdfFits  = under(it.Bytes, l.PDFBytes)
		counted  = it.Pages > 0
		pageFits = under(int64(it.Pages), int64(l.PDFPages))
	)
	switch {
	case image && len(l.ImageTypes) == 0:
		return choice{how: leaveOut, reason: "the model takes no images"}
	case image && listed && imageFits && it.Width > 0:
		return choice{how: sendNative}
	case image && bomb:
		return choice{how: leaveOut, reason: fmt.Sprintf("%d×%d pixels are more than the %d that are decoded (attachments.max_pixels)", it.Width, it.Height, p.opts.MaxPixels)}
	case image && len(targets) == 0:
		return choice{how: leaveOut, reason: "the model takes neither this type of image nor one that it could be changed to"}
	case image:
		return choice{how: redraw, side: side, bytes: l.ImageBytes, types: targets}

	case document && !l.PDF:
		return choice{how: extract, reason: "the model takes no PDF"}
	case document && !pdfFits:
		return choice{how: extract, reason: fmt.Sprintf("it has %d bytes, the model takes %d", it.Bytes, l.PDFBytes)}
	case document && !counted:
		return choice{how: askPages}
	case document && !pageFits:
		return choice{how: extract, reason: fmt.Sprintf("it has %d pages, the model takes %d", it.Pages, l.PDFPages)}
	case document:
		return choice{how: sendNative}

	case it.Kind == KindText:
		return choice{how: sendText}
	}
	return choice{how: leaveOut, reason: "its type is not one that models take"}
}

// under reports whether n is within limit, where 0 is no limit.
func under(n, limit int64) bool { return limit <= 0 || n <= limit }

// encodable returns those of types that an image can be re-encoded to.
func encodable(types []string) []string {
	var out []string
	for _, t := range []string{mimeJPEG, mimePNG} {
		if slices.Contains(types, t) {
			out = append(out, t)
		}
	}
	return out
}

// nativeDelivery sends an image or PDF as it is.
func nativeDelivery(it Item, src Content) Delivery {
	d := Delivery{
		Used:      usedNative,
		WireBytes: base64Bytes(src.Size()) + blockBytes + escapedLen(it.Name),
	}
	if it.Kind == KindPDF {
		d.Parts = []Part{DocumentPart{Name: it.Name, MIMEType: it.MIMEType, Pages: it.Pages, Content: src}}
		d.Pages = it.Pages
		d.Tokens = int64(it.Pages)*tokensPerPage + tokensOfEnvelope
		return d
	}
	d.Parts = []Part{ImagePart{Name: it.Name, MIMEType: it.MIMEType, Width: it.Width, Height: it.Height, Content: src}}
	d.Images = 1
	d.Tokens = imageTokens(it.Width, it.Height)
	return d
}

// Note is the delivery of an item that the model cannot take: one text part
// naming file, type and reason, and the same for people.
func Note(it Item, reason string) Delivery {
	name := DisplayName(it.Name)
	text := fmt.Sprintf("[The attachment %q (%s, %d bytes) is not included: %s.]", name, it.MIMEType, it.Bytes, visible(reason))
	return Delivery{
		Parts:     []Part{TextPart{Text: text}},
		Used:      usedNote,
		Warning:   fmt.Sprintf("%s: not sent to the model: %s", name, visible(reason)),
		WireBytes: escapedLen(text) + blockBytes,
		Tokens:    textTokens(int64(len(text))),
	}
}
