package cli

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// paging is the part of a list that a command prints: --limit and --cursor, which every
// command that lists has.
type paging struct {
	limit  int
	cursor string
}

func (p *paging) flags(cmd *cobra.Command) {
	cmd.Flags().IntVar(&p.limit, "limit", 0, "list at most `N`; 0 lists all")
	cmd.Flags().StringVar(&p.cursor, "cursor", "", "go on after an earlier list: the nextCursor of its --json output, a `TEXT`")
}

// listFlags adds the flags of a command that prints a list.
func listFlags(c *console, cmd *cobra.Command) *paging {
	p := &paging{}
	p.flags(cmd)
	jsonFlag(c, cmd)
	return p
}

// rest is what a list leaves out: how many follow, and where they begin.
type rest struct {
	NextCursor string `json:"nextCursor,omitempty"`
	More       int    `json:"more,omitempty"`
}

// tell says to people what is left out.
func (r rest) tell(c *console) {
	if r.More > 0 {
		c.note("more", strconv.Itoa(r.More)+" not listed; raise --limit, or go on with --cursor "+r.NextCursor)
	}
}

// pageOf is the part of all that the flags name. A cursor names the last element of the page
// before; where that is gone it goes on from its place, so that nothing is listed twice
// unless something was added before it.
func pageOf[T any](p *paging, all []T, id func(T) string) (page []T, left rest, err error) {
	if p.limit < 0 {
		return nil, left, usage("--limit must be 0 or more")
	}
	from := 0
	if p.cursor != "" {
		at, last, err := readCursor(p.cursor)
		if err != nil {
			return nil, left, err
		}
		if from = slices.IndexFunc(all, func(v T) bool { return id(v) == last }) + 1; from == 0 {
			from = min(at, len(all))
		}
	}
	page = all[from:]
	if p.limit == 0 || len(page) <= p.limit {
		return page, left, nil
	}
	end := from + p.limit
	left = rest{NextCursor: writeCursor(end, id(all[end-1])), More: len(all) - end}
	return all[from:end], left, nil
}

// writeCursor names the place after an element; its text means nothing to people.
func writeCursor(at int, last string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(at) + ":" + last))
}

func readCursor(text string) (at int, last string, err error) {
	data, err := base64.RawURLEncoding.DecodeString(strings.TrimSpace(text))
	number, last, ok := strings.Cut(string(data), ":")
	at, wrong := strconv.Atoi(number)
	if err != nil || wrong != nil || !ok || at < 0 {
		return 0, "", usageHint("leave it out to begin anew", "--cursor is not the nextCursor of a list")
	}
	return at, last, nil
}

// window is the part of a long list that is printed while it is made: its elements have no
// names, so a cursor is a place.
type window struct {
	from, end, seen int
}

// window returns the part that the flags name.
func (p *paging) window() (*window, error) {
	if p.limit < 0 {
		return nil, usage("--limit must be 0 or more")
	}
	w := &window{}
	if p.cursor != "" {
		at, _, err := readCursor(p.cursor)
		if err != nil {
			return nil, err
		}
		w.from = at
	}
	if p.limit > 0 {
		w.end = w.from + p.limit
	}
	return w, nil
}

// takes reports whether the next element is printed.
func (w *window) takes() bool {
	w.seen++
	return w.seen > w.from && (w.end == 0 || w.seen <= w.end)
}

// over reports whether the window has ended.
func (w *window) over() bool { return w.end > 0 && w.seen > w.end }

// rest is what is left out at the end.
func (w *window) rest() rest {
	if !w.over() {
		return rest{}
	}
	return rest{NextCursor: writeCursor(w.end, ""), More: w.seen - w.end}
}
