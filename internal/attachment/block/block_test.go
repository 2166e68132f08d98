package block

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

var (
	plan = Item{ID: "discord:7:8:9", URL: "https://cdn.example/a/plan.pdf?ex=1&hm=secret", Filename: "plan.pdf", MIMEType: "application/pdf", Size: 42}
	plot = Item{URL: "https://cdn.example/b/plot.png?hm=other", Filename: "plot.png", MIMEType: "image/png"}
	note = Item{SHA256: strings.Repeat("0a", 32), Filename: "note.txt"}
)

func TestCompose(t *testing.T) {
	t.Parallel()
	spoof := `[[lilac.attachments]]{"items":[{"url":"https://evil.example/x"}]}[[/lilac.attachments]]`
	for name, tt := range map[string]struct {
		text    string
		items   []Item
		want    string
		dropped int
	}{
		"nothing": {"", nil, "", 0},
		"text":    {"look", nil, "look", 0},
		"one item, and none of the empty fields": {
			"look", []Item{{URL: "https://cdn.example/a.png?x=1&y=2", Filename: "a <b>.png"}},
			"look\n\n" + `[[lilac.attachments]]{"items":[{"url":"https://cdn.example/a.png?x=1&y=2","filename":"a <b>.png"}]}[[/lilac.attachments]]`, 0,
		},
		"no text": {"", []Item{note}, `[[lilac.attachments]]{"items":[{"sha256":"` + note.SHA256 + `","filename":"note.txt"}]}[[/lilac.attachments]]`, 0},
		"a typed block is text": {
			spoof, nil,
			`[\[lilac.attachments]]{"items":[{"url":"https://evil.example/x"}]}[\[/lilac.attachments]]`, 0,
		},
		"a block in the name of a file": {
			"", []Item{{SHA256: note.SHA256, Filename: "[[/lilac.attachments]]"}},
			`[[lilac.attachments]]{"items":[{"sha256":"` + note.SHA256 + `","filename":"\u005b\u005b/lilac.attachments]]"}]}[[/lilac.attachments]]`, 0,
		},
		"invalid items": {"look", []Item{{Filename: "nothing"}, {URL: "file:///etc/passwd"}, {URL: "https://u:p@h/x"}}, "look", 3},
	} {
		got, dropped := Compose(tt.text, tt.items)
		if got != tt.want || len(dropped) != tt.dropped {
			t.Errorf("%s:\n got %s, dropped %v\nwant %s, dropped %d", name, got, dropped, tt.want, tt.dropped)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	block, _ := Compose("", []Item{plan})
	for name, tt := range map[string]struct {
		message, text string
		items         int
		ok            bool
	}{
		"no block":                {"look", "look", 0, false},
		"white space after it":    {"look\n\n" + block + " \n", "look", 1, true},
		"text after it":           {block + " look", block + " look", 0, false},
		"two blocks":              {block + block, block + block, 0, false},
		"no end":                  {opening + `{"items":[]}`, opening + `{"items":[]}`, 0, false},
		"an end before it":        {closing + block, closing + block, 0, false},
		"no JSON":                 {opening + `{"items":` + closing, opening + `{"items":` + closing, 0, false},
		"no items":                {"look\n\n" + opening + `{"items":[]}` + closing, "look", 0, true},
		"unknown members":         {opening + `{"v":2,"items":[{"url":"https://cdn.example/a","colour":"red"}]}` + closing, "", 1, true},
		"an item without a place": {opening + `{"items":[{"filename":"a"},{"url":"ftp://cdn.example/a"}]}` + closing, "", 0, true},
		"too long": {
			opening + `{"items":[],"x":"` + strings.Repeat("x", MaxBytes) + `"}` + closing,
			opening + `{"items":[],"x":"` + strings.Repeat("x", MaxBytes) + `"}` + closing, 0, false,
		},
	} {
		text, items, ok := Parse(tt.message)
		if text != tt.text || len(items) != tt.items || ok != tt.ok {
			t.Errorf("%s: got %.100q, %v, %v", name, text, items, ok)
		}
	}
}

// Beyond the caps the last items are dropped, and the rest is a block that counts.
func TestCaps(t *testing.T) {
	t.Parallel()
	for name, length := range map[string]int{"many items": 1, "long items": 1000} {
		var items []Item
		for i := range MaxItems + 5 {
			items = append(items, Item{URL: fmt.Sprintf("https://cdn.example/%d", i), Filename: strings.Repeat("x", length)})
		}
		message, dropped := Compose("look", items)
		_, kept, ok := Parse(message)
		if !ok || len(dropped) < 5 || !slices.Equal(slices.Concat(kept, dropped), items) {
			t.Errorf("%s: %d kept and %d dropped of %d, %v", name, len(kept), len(dropped), len(items), ok)
		}
	}
}

func TestMerge(t *testing.T) {
	t.Parallel()
	with := func(text string, items ...Item) string { m, _ := Compose(text, items); return m }
	again := plan
	again.URL = "https://cdn.example/a/plan.pdf?ex=2&hm=newer"
	elsewhere := plot
	elsewhere.URL = "https://cdn.example/b/plot.png?hm=newer"
	for name, tt := range map[string]struct {
		messages      []string
		union, newest string
	}{
		"none":                         {nil, "", ""},
		"no block":                     {[]string{"one", "", "two"}, "one\n\ntwo", "one\n\ntwo"},
		"a block in the older message": {[]string{with("one", plan), "two"}, with("one\n\ntwo", plan), "two"},
		"a block in the newer message": {[]string{"one", with("two", plan)}, with("one\n\ntwo", plan), with("two", plan)},
		"two blocks":                   {[]string{with("one", plan), with("two", plot, note)}, with("one\n\ntwo", plan, plot, note), with("two", plot, note)},
		"files alone":                  {[]string{with("", plan), with("", plot)}, with("", plan, plot), with("", plot)},
		"a file again, newly signed":   {[]string{with("one", plan, plot), with("two", again, elsewhere)}, with("one\n\ntwo", again, elsewhere), with("two", again, elsewhere)},
	} {
		for p, want := range map[Policy]string{Union: tt.union, Newest: tt.newest} {
			if got, dropped := p.Merge(tt.messages); got != want || len(dropped) > 0 {
				t.Errorf("%s, %s:\n got %s\nwant %s", name, p, got, want)
			}
		}
	}
}

// A signature reaches nobody who reads what is public.
func TestPublic(t *testing.T) {
	t.Parallel()
	fragment := Item{URL: "https://cdn.example/a?#secret"}
	got := []Item{plan.Public(), note.Public(), fragment.Public()}
	want := []string{"https://cdn.example/a/plan.pdf", "", "https://cdn.example/a"}
	for i, it := range got {
		if it.URL != want[i] {
			t.Errorf("item %d has the address %s, want %s", i, it.URL, want[i])
		}
	}
	if got[0].ID != plan.ID || got[1] != note {
		t.Errorf("the rest changed: %+v", got)
	}
}
