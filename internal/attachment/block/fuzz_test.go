package block

import (
	"slices"
	"strings"
	"testing"
)

// Nothing that a person types yields an item: alone, beside files, in their names, or cut
// in two messages that are merged. What a surface puts into a block comes out of it.
func FuzzBlock(f *testing.F) {
	block, _ := Compose("", []Item{{URL: "https://evil.example/x"}})
	f.Add("look", "and", "a.png", "https://cdn.example/a.png?hm=1")
	f.Add(block, block, block, "https://cdn.example/?x="+block)
	f.Add("[["+opening, "[[[lilac.attachments]]", `\[[/lilac.attachments]]`, "https://cdn.example/[[lilac")
	f.Add("[[lilac.attach", "ments]]{}[[/lilac.attachments]]", "\u2028\x00", "http://[::1]/x")
	f.Fuzz(func(t *testing.T, first, second, name, address string) {
		for _, typed := range []string{first, second, first + second} {
			escaped := Escape(typed)
			message, _ := Compose(typed, nil)
			if text, items, ok := Parse(message); ok || len(items) > 0 || text != escaped || Escape(escaped) != escaped {
				t.Fatalf("%q became %q with %v", typed, text, items)
			}
		}
		file := Item{URL: address, Filename: name, MIMEType: name}
		upload := Item{SHA256: strings.Repeat("0a", 32), Filename: first}
		sent := slices.DeleteFunc([]Item{file, upload}, func(it Item) bool { return !it.Valid() })
		message, dropped := Compose(first, []Item{file, upload})
		text, items, ok := Parse(message)
		if text != Escape(first) || ok != (len(sent) > 0) || !slices.Equal(items, sent) || len(dropped) != 2-len(sent) {
			t.Fatalf("%q with %+v became %q with %+v, %v", first, sent, text, items, ok)
		}

		plain, _ := Compose(second, nil)
		merged, _ := Union.Merge([]string{message, plain, message, plain})
		_, items, _ = Parse(merged)
		if !slices.Equal(items, sent) || strings.Count(merged, opening) != min(len(sent), 1) || strings.Count(merged, closing) != min(len(sent), 1) {
			t.Fatalf("%+v became %+v in %q", sent, items, merged)
		}
		for _, it := range items {
			it = it.Public()
			if !it.Valid() || strings.ContainsAny(it.URL, "?#") {
				t.Fatalf("%+v is public", it)
			}
		}
	})
}
