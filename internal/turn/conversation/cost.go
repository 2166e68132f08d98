package conversation

// cost is what counts against a request's limits.
type cost struct {
	bytes, tokens int64
	images, pages int
}

func (a cost) plus(b cost) cost {
	return cost{a.bytes + b.bytes, a.tokens + b.tokens, a.images + b.images, a.pages + b.pages}
}

func (a cost) minus(b cost) cost {
	return cost{a.bytes - b.bytes, a.tokens - b.tokens, a.images - b.images, a.pages - b.pages}
}

// part is a part of a, from 0 to 1; files are counted whole.
func (a cost) part(p float64) cost {
	return cost{int64(float64(a.bytes) * p), int64(float64(a.tokens) * p), a.images, a.pages}
}

// upTo is a, and no more than b.
func (a cost) upTo(b cost) cost {
	return cost{min(a.bytes, b.bytes), min(a.tokens, b.tokens), min(a.images, b.images), min(a.pages, b.pages)}
}

// fits reports whether a is within b.
func (a cost) fits(b cost) bool {
	return a.bytes <= b.bytes && a.tokens <= b.tokens && a.images <= max(b.images, 0) && a.pages <= max(b.pages, 0)
}

// jsonBytes bounds what n bytes of text become as a JSON string.
func jsonBytes(n int64) int64 { return 6 * n }
