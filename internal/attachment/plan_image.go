package attachment

import (
	"bufio"
	"context"
	"fmt"
	"image"
	"strings"
)

// planImage delivers a changed image.
func (p *Planner) planImage(ctx context.Context, it Item, src Content, c choice) (Delivery, error) {
	key := cacheKey(it, fmt.Sprintf("image %d %d %s", c.side, c.bytes, strings.Join(c.types, ",")))
	r, err := p.rendition(ctx, key, func(ctx context.Context) (made, error) {
		return p.makeImage(ctx, src, c)
	})
	switch {
	case err != nil:
		return Delivery{}, err
	case r.Note != "":
		return Note(it, r.Note), nil
	}
	d := Delivery{
		Parts:     []Part{ImagePart{Name: it.Name, MIMEType: r.MIMEType, Width: r.Width, Height: r.Height, Content: r.content}},
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
	cfg, err := header(ctx, src)
	if err != nil {
		return made{}, err
	}
	pixels := int64(cfg.Width) * int64(cfg.Height)
	if pixels > p.opts.MaxPixels {
		return made{}, unfit(fmt.Sprintf("%d×%d pixels are more than the %d that are decoded (attachments.max_pixels)", cfg.Width, cfg.Height, p.opts.MaxPixels))
	}
	share := min(pixels*depth(cfg), p.opts.PixelBudget)
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

// header reads an image's size and colour model.
func header(ctx context.Context, src Content) (image.Config, error) {
	f, err := src.Open()
	if err != nil {
		return image.Config{}, err
	}
	defer f.Close()
	from := &sourceReader{ctx: ctx, r: f}
	cfg, _, err := image.DecodeConfig(from)
	if from.err != nil {
		return image.Config{}, from.err
	}
	if err != nil || cfg.Width <= 0 || cfg.Height <= 0 {
		return image.Config{}, unfit("its header cannot be decoded")
	}
	return cfg, nil
}
