package live

import (
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"belay/internal/redact"
)

const (
	interval = 25 * time.Millisecond
	size     = 4 << 10
	secret   = "a-secret-of-the-person"
)

// shown collects what an output shows, and when.
type shown struct {
	mu    sync.Mutex
	texts []Text
	at    []time.Time
	err   error
}

func (s *shown) show(texts []Text) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.texts = append(s.texts, texts...)
	s.at = append(s.at, time.Now())
	return s.err
}

func (s *shown) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.texts)
}

// whole is the text as a reader puts it together; it checks the offsets.
func (s *shown) whole(t interface{ Fatalf(string, ...any) }) string {
	var b strings.Builder
	for _, p := range s.texts {
		if !p.Tail && p.Offset != int64(b.Len()) || p.Tail && p.Offset < int64(b.Len()) {
			t.Fatalf("a text begins at %d after %d bytes (the end: %v)", p.Offset, b.Len(), p.Tail)
		}
		if !p.Tail {
			b.WriteString(p.Text)
		}
		if len(p.Text) > size || !utf8.ValidString(p.Text) {
			t.Fatalf("a text of %d bytes, valid: %v", len(p.Text), utf8.ValidString(p.Text))
		}
	}
	return b.String()
}

func open(s *shown) *Output {
	return New(Options{Redact: redact.New(secret), Interval: interval, Size: size, Show: s.show})
}

func write(o *Output, text string) { _, _ = io.WriteString(o, text) }

// The first text is shown at once, and what follows at most once per interval.
func TestPace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shown{}
		o := open(s)
		began := time.Now()
		write(o, "one\n")
		if s.count() != 1 {
			t.Fatal("the first text waits")
		}
		for range 100 {
			time.Sleep(time.Millisecond)
			write(o, "x")
		}
		time.Sleep(time.Second)
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
		if got := s.whole(t); got != "one\n"+strings.Repeat("x", 100) {
			t.Errorf("shown: %q", got)
		}
		for i, at := range s.at[1:] {
			if d := at.Sub(s.at[i]); d < interval {
				t.Errorf("text %d comes %v after the one before", i+1, d)
			}
		}
		if last := s.at[len(s.at)-1].Sub(began); last > 100*time.Millisecond+interval {
			t.Errorf("the last text comes after %v", last)
		}
		before := s.count()
		write(o, "late")
		time.Sleep(time.Minute)
		if s.count() != before {
			t.Error("something is shown after the end")
		}
	})
}

// A flood is shown in full up to the limit. After that its end is shown now and then, and at the
// end of the command.
func TestFlood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &shown{}
		o := open(s)
		line := strings.Repeat("é", 31) + "\n"
		write(o, strings.Repeat(line, 100_000))
		if got := s.whole(t); len(got) > Shown || len(got) < Shown-utf8.UTFMax || !strings.HasPrefix(strings.Repeat(line, 100_000), got) {
			t.Fatalf("%d bytes are shown", len(got))
		}
		head := s.count()
		for range 3600 {
			write(o, strings.Repeat(line, 1000))
			time.Sleep(time.Second)
		}
		write(o, "the end\n")
		_ = o.Close()
		tails := s.texts[head:]
		if len(tails) < 300 || len(tails) > 400 {
			t.Errorf("in an hour the end is shown %d times", len(tails))
		}
		for _, p := range tails {
			if !p.Tail || len(p.Text) > TailSize {
				t.Fatalf("%d bytes, the end: %v", len(p.Text), p.Tail)
			}
		}
		total := int64(len(line)*(100_000+3600*1000) + len("the end\n"))
		if last := tails[len(tails)-1]; !strings.HasSuffix(last.Text, line+"the end\n") || last.Offset+int64(len(last.Text)) != total {
			t.Errorf("the last is %.100q at %d, of %d", last.Text, last.Offset, total)
		}
	})
}

// However an output is cut, its keys are not shown, characters and sequences stay whole, and the
// rest is shown as it is.
func TestPieces(t *testing.T) {
	t.Parallel()
	words := rapid.SampledFrom([]string{
		"word ", "日本語\n", "\x1b[1;31mred\x1b[0m", "\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x07", secret, secret[:10], "é", "\r", "Bearer " + strings.Repeat("t", 30), "\n",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(words, 0, 40).Draw(t, "words"), "")
		s := &shown{}
		o := open(s)
		for rest := text; rest != ""; {
			n := min(len(rest), rapid.IntRange(1, 12).Draw(t, "piece"))
			write(o, rest[:n])
			rest = rest[n:]
		}
		_ = o.Close()
		if got, want := s.whole(t), redact.New(secret).String(Plain([]byte(text))); got != want {
			t.Fatalf("shown: %q\nwant:  %q", got, want)
		}
	})
}

// A key that reaches over the places where an output is cut, or into its end, is not shown.
func TestKeysAtTheLimits(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		s := &shown{}
		o := open(s)
		before := Shown - len(secret) + random.IntN(2*len(secret)) - 10
		write(o, strings.Repeat("x", before)+secret)
		write(o, secret+strings.Repeat("y", TailSize-len(secret)+random.IntN(2*len(secret))))
		_ = o.Close()
		for _, p := range s.texts {
			for n := 6; n < len(secret); n++ {
				if strings.Contains(p.Text, secret[:n]) || strings.Contains(p.Text, secret[len(secret)-n:]) {
					t.Fatalf("%d bytes of the key are shown (the end: %v)", n, p.Tail)
				}
			}
		}
	}
}

// A log that cannot be written is not written to again, and the command goes on.
func TestNobodyCanBeShown(t *testing.T) {
	t.Parallel()
	s := &shown{err: errors.New("the disk is full")}
	o := open(s)
	write(o, "one")
	write(o, strings.Repeat("two", size))
	if err := o.Close(); err != nil || s.count() != 1 {
		t.Errorf("%v; shown %d times", err, s.count())
	}
}

// A command that floods costs no more than copying its end.
func BenchmarkFlood(b *testing.B) {
	o := open(&shown{})
	defer o.Close()
	piece := []byte(strings.Repeat("a line of output\n", 4096))
	_, _ = o.Write([]byte(strings.Repeat("x", 2*Shown)))
	b.SetBytes(int64(len(piece)))
	for b.Loop() {
		_, _ = o.Write(piece)
	}
}
