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
	d, err := root.Open(dirLog)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	names, err := d.Readdirnames(-1)
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

var errStop = errors.New("enough")

// firstSeq reads a segment's first sequence, 0 when it has no event.
func firstSeq(root *os.Root, number int) (int64, error) {
	f, err := openRegular(root, segmentName(number))
	if missing(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	var first int64
	_, err = durable.Scan(f, maxLine, func(b []byte, _ int64) error {
		if err := checkHeader(segmentName(number), b); err != nil {
			return err
		}
		if first = seqOf(b); first > 0 {
			return errStop
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return 0, err
	}
	return first, nil
}

// readSegment reads up to a batch of events after seq from a segment, beginning
// at off and ending before size. It stops at the first hole in the sequence once
// it has something.
func readSegment(root *os.Root, number int, off, size, seq int64) ([]event.Event, pos, error) {
	at := pos{number, off}
	f, err := openRegular(root, segmentName(number))
	if missing(err) {
		return nil, at, nil
	}
	if err != nil {
		return nil, at, err
	}
	defer func() { _ = f.Close() }()
	var (
		evs   []event.Event
		bytes int
	)
	r := io.NewSectionReader(f, off, max(0, size-off))
	_, err = durable.Scan(r, maxLine, func(b []byte, end int64) error {
		if s := seqOf(b); s <= seq {
			return nil
		}
		e, err := parseEvent(b)
		switch {
		case err != nil:
			return nil // a spoilt line is a hole, and holes are told
		case len(evs) > 0 && e.Seq != evs[len(evs)-1].Seq+1, len(evs) == batchEvents, bytes >= batchBytes:
			return errStop
		}
		evs = append(evs, e)
		bytes += len(e.Data)
		at.off = off + end
		seq = e.Seq
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return nil, at, err
	}
	return evs, at, nil
}
