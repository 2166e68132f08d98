package attachment

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"io"
	"strings"
)

// planImage delivers a changed image.
func (p *Planner) planImage(ctx context.Context, it Item, src Content, c choice) (Delivery, error) {
	key := cacheKey(it, fmt.Sprintf("image %d %d %s", c.side, c.bytes, strings.Join(c.types, ",")))
	r, err := p.rendition(ctx, key, p.opts.WorkTime, func(ctx context.Context) (made, error) {
		return p.makeImage(ctx, src, c)
	})
	switch {
	case err != nil:
		return Delivery{}, err
	case r.Note != "":
		return Note(it, r.Note), nil
	}
	d := Delivery{
		Parts:     []Part{ImagePart{Name: it.Name, MIMEType: r.MIMEType, Width: r.Width, Height: r.Height, Detail: it.Detail, Content: r.content}},
		Used:      usedReencoded,
		WireBytes: base64Bytes(r.Bytes) + blockBytes + escapedLen(it.Name),
		Tokens:    imageTokens(r.Width, r.Height),
		Images:    1,
	}
	if max(r.Width, r.Height) < max(it.Width, it.Height) {
		d.Used = usedDownscaled
	}
	d.Warning = fmt.Sprintf("%s: sent as %s of %d×%d pixels and %d bytes; the file is %s of %d×%d pixels and %d bytes",
		it.Name, r.MIMEType, r.Width, r.Height, r.Bytes, it.MIMEType, it.Width, it.Height, it.Bytes)
	return d, nil
}

// makeImage decodes, turns upright, shrinks and encodes. The header is looked at
// again before anything is allocated by it: the item may be an old record.
func (p *Planner) makeImage(ctx context.Context, src Content, c choice) (made, error) {
	cfg, each, err := header(ctx, src)
	if err != nil {
		return made{}, err
	}
	pixels := int64(cfg.Width) * int64(cfg.Height) * each
	if pixels > p.opts.MaxPixels {
		double := ""
		if each > 1 {
			double = ", which count double because of their format,"
		}
		return made{}, unfit(fmt.Sprintf("%d×%d pixels%s are more than the %d that are decoded", cfg.Width, cfg.Height, double, p.opts.MaxPixels))
	}
	share := min(pixels, pixelBudget)
	if err := p.pixels.Acquire(ctx, share); err != nil {
		return made{}, err
	}
	defer p.pixels.Release(share)

	f, err := src.Open()
	if err != nil {
		return made{}, err
	}
	defer f.Close()
	from := &sourceReader{ctx: ctx, r: f}
	in := bufio.NewReaderSize(from, 64<<10)
	turn := orientation(in)
	picture, _, err := image.Decode(in)
	if err != nil {
		if from.err != nil {
			return made{}, from.err
		}
		return made{}, unfit("its pixels cannot be decoded")
	}
	return shrink(ctx, onCanvas(picture, cfg), turn, c)
}

// header reads an image's size and colour model, and the memory that decoding
// takes for each pixel in units of a usual one.
func header(ctx context.Context, src Content) (cfg image.Config, each int64, err error) {
	f, err := src.Open()
	if err != nil {
		return cfg, 0, err
	}
	defer f.Close()
	from := &sourceReader{ctx: ctx, r: f}
	seen := &bytes.Buffer{} // what precedes the size in a file is small, or unusual
	cfg, _, err = image.DecodeConfig(io.TeeReader(from, seen))
	if from.err != nil {
		return cfg, 0, from.err
	}
	if err != nil || cfg.Width <= 0 || cfg.Height <= 0 {
		return cfg, 0, unfit("its header cannot be decoded")
	}
	deep := cfg.ColorModel == color.RGBA64Model || cfg.ColorModel == color.NRGBA64Model
	if deep || progressive(bufio.NewReader(seen)) {
		return cfg, 2, nil
	}
	return cfg, 1, nil
}
