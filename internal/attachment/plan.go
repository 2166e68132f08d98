package attachment

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// The values of Delivery.Used.
const (
	usedNative     = "native"
	usedDownscaled = "downscaled"
	usedReencoded  = "re-encoded"
	usedText       = "text"
	usedAddress    = "address"
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
	if own := p.opts.TextBytes; own > 0 && (l.TextBytes <= 0 || own < l.TextBytes) {
		l.TextBytes = own
	}
	d, err := p.deliver(ctx, it, src, l, p.decide(it, l, manyImages))
	if err == nil {
		d.introduce(it)
	}
	return d, err
}

// deliver does what was decided.
func (p *Planner) deliver(ctx context.Context, it Item, src Content, l Limits, c choice) (Delivery, error) {
	switch c.how {
	case sendNative:
		return nativeDelivery(it, src), nil
	case sendAddress:
		return addressDelivery(it), nil
	case tellAddress:
		return referenceDelivery(it), nil
	case sendPage:
		return p.planPage(ctx, it, src, l)
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
	leaveOut    how = iota // a note instead
	sendNative             // the bytes as they are
	redraw                 // an image: decode, shrink, encode
	askPages               // a PDF whose pages must be counted before it can be decided
	extract                // a PDF: its text
	sendText               // text: as it is, or converted and cut
	sendAddress            // an image: its address
	tellAddress            // an address, in words
	sendPage               // a page of HTML: its text
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
	)
	switch {
	case it.MIMEType == mimeAddress && it.Kind == KindURL:
		return choice{how: tellAddress}
	case image && it.URL != "" && l.ImageURLs:
		return choice{how: sendAddress}
	case image && it.MIMEType == mimeAddress:
		return choice{how: leaveOut, reason: "the model takes no addresses of images (deliver: content lets the image be fetched)"}
	case image && len(l.ImageTypes) == 0:
		return choice{how: leaveOut, reason: "the model takes no images"}
	case image && listed && imageFits && it.Width > 0:
		return choice{how: sendNative}
	case image && bomb:
		return choice{how: leaveOut, reason: fmt.Sprintf("%d×%d pixels are more than the %d that are decoded", it.Width, it.Height, p.opts.MaxPixels)}
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
	case document:
		return decidePages(it, l)

	case it.Kind == KindText:
		return choice{how: sendText}
	case it.Kind == KindURL:
		return choice{how: sendPage}
	case it.Kind == KindAudio:
		return playable(it, l)
	case it.Kind == KindVideo:
		return choice{how: leaveOut, reason: "the model takes no video"}
	case it.MIMEType == mimeHEIC, it.MIMEType == mimeHEIF, it.MIMEType == mimeAVIF:
		return choice{how: leaveOut, reason: unreadableImage(it.MIMEType)}
	}
	if it.MIMEType == mimeText {
		return choice{how: leaveOut, reason: "it is text in a character set that is not known; save it as UTF-8"}
	}
	return choice{how: leaveOut, reason: "its type is not one that models take"}
}

// playable decides about sound.
func playable(it Item, l Limits) choice {
	switch {
	case len(l.AudioTypes) == 0:
		return choice{how: leaveOut, reason: "the model takes no audio"}
	case !slices.Contains(l.AudioTypes, it.MIMEType):
		return choice{how: leaveOut, reason: "the model takes audio only as " + strings.Join(l.AudioTypes, ", ")}
	case !under(it.Bytes, l.AudioBytes):
		return choice{how: leaveOut, reason: fmt.Sprintf("the model takes %d bytes of audio", l.AudioBytes)}
	}
	return choice{how: sendNative}
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

// nativeDelivery sends the bytes as they are.
func nativeDelivery(it Item, src Content) Delivery {
	d := Delivery{
		Used:      usedNative,
		WireBytes: base64Bytes(src.Size()) + blockBytes + escapedLen(it.Name),
	}
	switch it.Kind {
	case KindPDF:
		d.Parts = []Part{DocumentPart{Name: it.Name, MIMEType: it.MIMEType, Pages: it.Pages, Content: src}}
		d.Pages = it.Pages
		d.Tokens = int64(it.Pages)*tokensPerPage + tokensOfEnvelope
	case KindAudio:
		d.Parts = []Part{MediaPart{Kind: it.Kind, Name: it.Name, MIMEType: it.MIMEType, Content: src}}
		d.Tokens = MediaTokens(it.MIMEType, it.Bytes)
	default:
		d.Parts = []Part{ImagePart{Name: it.Name, MIMEType: it.MIMEType, Width: it.Width, Height: it.Height, Detail: it.Detail, Content: src}}
		d.Images = 1
		d.Tokens = imageTokens(it.Width, it.Height)
	}
	return d
}

// introduce puts an item's name before parts that have no title of their own.
func (d *Delivery) introduce(it Item) {
	if !it.Named || len(d.Parts) == 0 {
		return
	}
	var what string
	switch d.Parts[0].(type) {
	case ImagePart, ImageURLPart:
		what = "Image"
	case MediaPart:
		what = "Audio"
	default:
		return
	}
	text := fmt.Sprintf("%s %q:", what, it.Name)
	d.Parts = append([]Part{TextPart{Text: text}}, d.Parts...)
	d.WireBytes += escapedLen(text) + blockBytes
	d.Tokens += textTokens(int64(len(text)))
}

// Note is the delivery of an item that the model cannot take: one text part
// naming file, type and reason, and the same for people.
func Note(it Item, reason string) Delivery {
	name := label(it.Name)
	text := fmt.Sprintf("[The attachment %q (%s, %d bytes) is not included: %s.]", name, it.MIMEType, it.Bytes, visible(reason))
	return Delivery{
		Parts:     []Part{TextPart{Text: text}},
		Used:      usedNote,
		Warning:   fmt.Sprintf("%s: not sent to the model: %s", name, visible(reason)),
		WireBytes: escapedLen(text) + blockBytes,
		Tokens:    textTokens(int64(len(text))),
	}
}
