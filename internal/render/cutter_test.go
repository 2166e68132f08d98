package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestBlocks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"paragraphs":            {"one\ntwo\n\nthree", []string{"one\ntwo", "three"}},
		"code with empty lines": {"a\n\n```go\nx\n\ny\n```\nb", []string{"a", "```go\nx\n\ny\n```", "b"}},
		"a longer fence":        {"````\n```\n\n````\nb", []string{"````\n```\n\n````", "b"}},
		"a loose list":          {"1. a\n\n2. b\n\n   more\n\nend\n", []string{"1. a\n\n2. b\n\n   more", "end"}},
		"code in a list":        {"- a\n\n  ```\n  x\n  ```\n- b\n", []string{"- a\n\n  ```\n  x\n  ```\n- b"}},
		"no list":               {"1.5 is\n\na number", []string{"1.5 is", "a number"}},
		"a table":               {"| a |\n|---|\n| b |\n\nend", []string{"| a |\n|---|\n| b |", "end"}},
		"nothing":               {"\n\n", nil},
	} {
		var k Cutter
		got := k.Write(c.text)
		if last := k.Flush(); last != "" {
			got = append(got, last)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestCodeGoesOnInTheNextBlock(t *testing.T) {
	t.Parallel()
	var k Cutter
	blocks := k.Write("```go\n" + strings.Repeat("x := 1\n", 2*maxBlockLines))
	blocks = append(blocks, k.Flush())
	if len(blocks) < 3 {
		t.Fatalf("%d blocks", len(blocks))
	}
	lines := 0
	for i, b := range blocks {
		if !strings.HasPrefix(b, "```go\n") || i+1 < len(blocks) && !strings.HasSuffix(b, "\n```") {
			t.Errorf("block %d is no code of its own: %.40q … %.20q", i, b, b[max(0, len(b)-20):])
		}
		lines += strings.Count(b, "x := 1")
	}
	if lines != 2*maxBlockLines {
		t.Errorf("%d lines", lines)
	}
}

// The blocks are the text, whole and in order, however it comes; none is large.
func TestBlocksKeepTheText(t *testing.T) {
	t.Parallel()
	words := rapid.SampledFrom([]string{
		"word", "\n", "\n\n", "```", "```\n", "~~~\n", "- ", "1. ", " ", "    ", "日本", "\xff", strings.Repeat("x", 5000), strings.Repeat("y\n", 400),
	})
	content := func(s string) string { // without what cutting may add or leave out
		var b strings.Builder
		for l := range strings.SplitSeq(s, "\n") {
			if text := strings.TrimSpace(l); !opens(text) {
				b.WriteString(strings.Join(strings.Fields(l), ""))
			}
		}
		return b.String()
	}
	rapid.Check(t, func(rt *rapid.T) {
		pieces := rapid.SliceOfN(words, 0, 60).Draw(rt, "pieces")
		var k Cutter
		var blocks []string
		for _, p := range pieces {
			blocks = append(blocks, k.Write(p)...)
			if len(k.Tail()) > 3*maxBlockBytes {
				rt.Fatalf("%d bytes wait", len(k.Tail()))
			}
		}
		blocks = append(blocks, k.Flush())
		for _, b := range blocks {
			if len(b) > maxBlockBytes+2*maxFence {
				rt.Fatalf("a block of %d bytes", len(b))
			}
		}
		want, got := content(strings.Join(pieces, "")), content(strings.Join(blocks, "\n"))
		if want != got && !strings.Contains(strings.Join(pieces, ""), "```") {
			rt.Fatalf("text was lost or added: %d bytes became %d", len(want), len(got))
		}
	})
}
