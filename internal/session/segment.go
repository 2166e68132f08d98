package session

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"belay/internal/durable"
	"belay/internal/event"
)

// segment is one file of a log. Its events are first to the next one's first-1.
type segment struct {
	n     int
	first int64
}

func (g segment) name() string { return segmentName(g.n) }

func segmentName(n int) string { return fmt.Sprintf("%s/%04d.jsonl", dirLog, n) }

// segmentNumber reads a file name in the log folder, 0 when it is no segment.
func segmentNumber(name string) int {
	digits, ok := strings.CutSuffix(name, ".jsonl")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 1 || fmt.Sprintf("%04d", n) != digits {
		return 0
	}
	return n
}

// listSegments returns the numbers of the log's files, ascending.
func listSegments(root *os.Root) ([]int, error) {
	names, err := list(root, dirLog)
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, name := range names {
		if n := segmentNumber(name); n > 0 {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// firstSeq reads a segment's first sequence, 0 when it has no event.
func firstSeq(root *os.Root, number int) (int64, error) {
	var first int64
	err := scanFile(root, segmentName(number), func(b []byte, _ int64) error {
		if err := checkHeader(segmentName(number), b); err != nil {
			return err
		}
		if first = seqOf(b); first > 0 {
			return errStop
		}
		return nil
	})
	return first, err
}

// part is what was read of a segment: events, what they take in memory, and where
// they end. Where the next event does not fit into the room by itself, there are
// none, and need is how much room it takes.
type part struct {
	evs  []event.Event
	size int64
	end  pos
	need int64
}

// parseSegment reads events after seq from a segment's file, beginning at off, ending
// before size, and taking no more than room. It stops at the first hole in the
// sequence once it has something.
func parseSegment(f io.ReaderAt, number int, off, size, seq, room int64) (parsed, error) {
	p := parsed{part: part{end: pos{number, off}}, number: number}
	r := io.NewSectionReader(f, off, max(0, size-off))
	var last int64 // where the line before ended
	_, err := durable.Scan(r, int(min(room, maxLine)), func(b []byte, end int64) error {
		takes := end - last + lineWeight
		last = end
		if s := headSeq(b); s > 0 && s <= seq {
			return nil
		}
		// A line that is longer than any event, or spoilt, is a hole. Readers get a
		// log:gap for it.
		whole := b[len(b)-1] == '\n'
		if whole && seqOf(b) <= seq || takes > maxLine+lineWeight {
			return nil
		}
		if p.size+takes > room {
			if len(p.evs) == 0 {
				p.need = takes
			}
			return errStop
		}
		e, err := parseEvent(b)
		switch {
		case err != nil:
			return nil
		case len(p.evs) > 0 && e.Seq != p.evs[len(p.evs)-1].Seq+1, len(p.evs) == batchEvents:
			return errStop
		}
		p.grow(e, takes, off+end)
		seq = e.Seq
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return p, err
	}
	return p, nil
}
