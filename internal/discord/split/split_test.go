package split

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func texts(parts []Part) []string {
	var all []string
	for _, p := range parts {
		all = append(all, p.String())
	}
	return all
}

func TestSplit(t *testing.T) {
	t.Parallel()
	a := func(n int) string { return strings.Repeat("a", n) }
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"nothing":      {"", nil},
		"one message":  {"hello\n", []string{"hello\n"}},
		"just fits":    {a(64), []string{a(64)}},
		"one too many": {a(65), []string{a(64), "a"}},
		"paragraphs": {a(40) + "\n\n" + a(10) + "\n" + a(30),
			[]string{a(40) + "\n\n", a(10) + "\n" + a(30)}},
		"a full line beats an early paragraph": {a(5) + "\n\n" + a(50) + "\n" + a(30),
			[]string{a(5) + "\n\n" + a(50) + "\n", a(30)}},
		"before an item": {"- " + a(30) + "\n- " + a(20) + "\n  " + a(5) + "\n- " + a(20),
			[]string{"- " + a(30) + "\n- " + a(20) + "\n  " + a(5) + "\n", "- " + a(20)}},
		"before a numbered item": {"1. " + a(30) + "\n2. " + a(10) + "\n   " + a(8) + "\n   " + a(9) + "\n3. x",
			[]string{"1. " + a(30) + "\n2. " + a(10) + "\n   " + a(8) + "\n", "   " + a(9) + "\n3. x"}},
		"words": {strings.Repeat("word ", 20),
			[]string{strings.Repeat("word ", 12), strings.Repeat("word ", 8)}},
		"code goes on": {"```go\n" + strings.Repeat("x := 1\n", 12) + "```\n",
			[]string{"```go\n" + strings.Repeat("x := 1\n", 7) + "```", "```go\n" + strings.Repeat("x := 1\n", 5) + "```\n"}},
		"before the code": {a(40) + "\n```\n" + strings.Repeat("y\n", 20) + "```\n",
			[]string{a(40) + "\n", "```\n" + strings.Repeat("y\n", 20) + "```\n"}},
		"a long line of code": {"```sh\n" + a(100) + "\n```",
			[]string{"```sh\n" + a(54) + "\n```", "```sh\n" + a(46) + "\n```"}},
		"backticks inside code": {"````\n```\n" + strings.Repeat("z\n", 30) + "````",
			[]string{"````\n```\n" + strings.Repeat("z\n", 25) + "````", "````\n" + strings.Repeat("z\n", 5) + "````"}},
		"an emoji is whole":        {a(62) + "👩‍🔧" + a(3), []string{a(62), "👩‍🔧" + a(3)}},
		"a mark stays":             {a(63) + "e\u0301x", []string{a(63), "e\u0301x"}},
		"too many marks":           {"e" + strings.Repeat("\u0301", 70), []string{"e" + strings.Repeat("\u0301", 63), strings.Repeat("\u0301", 7)}},
		"emojis count as two":      {strings.Repeat("🙂", 40), []string{strings.Repeat("🙂", 32), strings.Repeat("🙂", 8)}},
		"a strange opening line":   {"``` `a`\n" + a(60), []string{"``` `a`\n" + a(56), a(4)}},
		"bytes that are not UTF-8": {strings.Repeat("\xff", 70), []string{strings.Repeat("\xff", 64), strings.Repeat("\xff", 6)}},
	} {
		if diff := cmp.Diff(c.want, texts(Split(c.text, 64))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestBlank(t *testing.T) {
	t.Parallel()
	if !(Part{Body: " \n"}).Blank() || (Part{Body: "a"}).Blank() {
		t.Error("a part is blank when Discord would refuse it")
	}
}

// Nothing is lost, every part fits, and parts before the last one stay as they are
// when text is added.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{"", "a", "```go\nx\n```", strings.Repeat("- item\n", 40), strings.Repeat("🙂", 90),
		"``````````\n" + strings.Repeat("x", 200), strings.Repeat("````\n", 50), strings.Repeat("\n", 300), "a\xffb",
		"e" + strings.Repeat("\u0301", 200)} {
		f.Add(s, "more", 64)
	}
	f.Fuzz(func(t *testing.T, text, more string, limit int) {
		limit = min(max(limit, minLimit), Limit)
		parts := Split(text, limit)
		var joined strings.Builder
		for _, p := range parts {
			joined.WriteString(p.Body)
			if n := Length(p.String()); n > limit {
				t.Fatalf("a part has %d of %d characters: %q", n, limit, p)
			}
			if p.Body == "" {
				t.Fatalf("a part is empty: %+v", p)
			}
		}
		if joined.String() != text {
			t.Fatalf("lost something:\n%q\n%q", text, joined.String())
		}
		longer := Split(text+more, limit)
		for i := range len(parts) - 1 {
			// The last character may join the added text, so the last whole part may move.
			if i < len(parts)-2 && parts[i] != longer[i] {
				t.Fatalf("part %d changed from %q to %q", i, parts[i], longer[i])
			}
		}
	})
}
