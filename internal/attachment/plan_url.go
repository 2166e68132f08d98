package attachment

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"

	"belay/internal/attachment/webpage"
)

// addressDelivery gives the model an image's address.
func addressDelivery(it Item) Delivery {
	return Delivery{
		Parts:     []Part{ImageURLPart{Name: it.Name, URL: it.URL, Detail: it.Detail}},
		Used:      usedAddress,
		WireBytes: escapedLen(it.URL) + blockBytes,
		Tokens:    maxImageTokens,
		Images:    1,
	}
}

// referenceDelivery gives the model an address as text.
func referenceDelivery(it Item) Delivery {
	name := ""
	if it.Name != "" && it.Name != it.URL {
		name = fmt.Sprintf(" (%q)", it.Name)
	}
	text := fmt.Sprintf("[The attachment%s is the address %s; nothing was fetched from it.]", name, visible(it.URL))
	return Delivery{
		Parts:     []Part{TextPart{Text: text}},
		Used:      usedAddress,
		WireBytes: escapedLen(text) + blockBytes,
		Tokens:    textTokens(int64(len(text))),
	}
}

// maxPageBytes is the largest page that is made readable: its tree takes many times
// its size.
const maxPageBytes = 8 << 20

// planPage delivers what is to be read on a page.
func (p *Planner) planPage(ctx context.Context, it Item, src Content, l Limits) (Delivery, error) {
	key := cacheKey(it, fmt.Sprintf("page %s %s %d", it.Charset, it.Origin, l.TextBytes))
	r, err := p.rendition(ctx, key, p.opts.WorkTime, func(ctx context.Context) (made, error) {
		return makePage(ctx, it, src, l.TextBytes)
	})
	if err != nil {
		return Delivery{}, err
	}
	d := textDelivery(it, src, r)
	if r.Note == "" {
		d.Warning = it.Name + ": sent as the text of the page"
		if r.Cut {
			d.Warning += "; only the beginning of it"
		}
	}
	return d, nil
}

// makePage reads a page and writes down what is to be read on it.
func makePage(ctx context.Context, it Item, src Content, limit int64) (made, error) {
	if src.Size() > maxPageBytes {
		return made{}, unfit(fmt.Sprintf("it has %d bytes, more than the %d that a page may have", src.Size(), maxPageBytes))
	}
	f, err := src.Open()
	if err != nil {
		return made{}, err
	}
	defer f.Close()
	from := &sourceReader{ctx: ctx, r: f}
	page, err := io.ReadAll(decoded(bufio.NewReader(from), it.Charset, false))
	if err != nil {
		return made{}, notText(err)
	}
	base, err := url.Parse(it.Origin)
	if err != nil {
		base = &url.URL{}
	}
	readable, err := webpage.Text(ctx, bytes.TrimPrefix(page, utf8BOM), base)
	if ctx.Err() != nil {
		return made{}, ctx.Err()
	}
	if err != nil {
		return made{}, unfit("it is nested without end")
	}
	text, how, err := readText(strings.NewReader(readable), limit, int64(len(readable)))
	switch {
	case err != nil:
		return made{}, err
	case len(bytes.TrimSpace(text)) == 0:
		return made{}, textBlank
	}
	return textMade(text, how), nil
}
