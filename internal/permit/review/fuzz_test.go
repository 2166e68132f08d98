package review_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode"

	"belay/internal/permit/review"
)

// FuzzClassify takes lines of paths. Each begins with a letter that says what the path
// becomes. More entries never lower a risk, other cases of letters never change one,
// and a content that is not needed does not count.
func FuzzClassify(f *testing.F) {
	for _, s := range []string{
		"f.envrc\nf.git/hooks/x\nr.git/config", "fa/HEAD\nda/objects\nda/refs\nra/HEAD", "fa/HEAD\nfa/commondir\nfa/x", "l.github\nlscripts\nfscripts/bin/x",
		"fpackage.json\nfnode_modules/a/package.json\nf.git/modules/a/b/config", "f\nf/\nf..\nf//.git//\nf.git/\nf...\nf:\nf.git:x/y", "fGIT~1/x\nfMAKEFI~1\nf~\nf~1",
		"f.VſCODE\nfdockerﬁle\nf.g\u200cit/x", "f\xff/.git/\xff\xfe\nfK", "fold/HEAD\nrold/HEAD\nfold/refs/a/b\nuold/config", "fx.code-workspace\nfa[b/*.mk",
	} {
		f.Add(s, `{"scripts":{"install":"a"}}`)
	}
	f.Fuzz(func(t *testing.T, paths, content string) {
		var entries []review.Entry
		for line := range strings.SplitSeq(paths, "\n") {
			if line != "" && len(entries) < 50 {
				entries = append(entries, entry(line[0], line[1:], content))
			}
		}
		all := review.Classify(entries, options())
		if len(all) != len(entries) {
			t.Fatalf("%d findings for %d entries", len(all), len(entries))
		}
		swapped, cleared := slices.Clone(entries), slices.Clone(entries)
		for i := range entries {
			swapped[i].Path = strings.Map(swapCase, entries[i].Path)
			if !review.NeedsContent(entries[i].Path) {
				cleared[i].Before.Content, cleared[i].After.Content = nil, bytes.ToUpper(cleared[i].After.Content)
			}
			alone := review.Classify(entries[i:i+1], options())[0]
			rest := review.Classify(entries[:i+1], options())[i]
			if alone.Risk > rest.Risk || rest.Risk > all[i].Risk {
				t.Errorf("%q: %s alone, %s with those before, %s with all", entries[i].Path, alone.Risk, rest.Risk, all[i].Risk)
			}
		}
		// What exists is asked by the name as it is, so the project is an empty one here.
		none := options()
		none.Exists = nil
		want := review.Classify(entries, none)
		for i, got := range review.Classify(swapped, none) {
			if got.Risk != want[i].Risk {
				t.Errorf("%q: %s, %q: %s", want[i].Path, want[i].Risk, got.Path, got.Risk)
			}
		}
		if got := review.Classify(cleared, options()); !slices.Equal(got, all) {
			t.Errorf("a content counts for which NeedsContent did not ask: %v, %v", got, all)
		}
	})
}

func entry(kind byte, path, content string) review.Entry {
	switch kind {
	case 'd':
		return review.Entry{Path: path, After: folder}
	case 'l':
		return review.Entry{Path: path, Before: unknown, After: link}
	case 'r':
		return review.Entry{Path: path, Before: file(content)}
	case 'u':
		return review.Entry{Path: path, Before: unknown, After: unknown}
	}
	return review.Entry{Path: path, After: file(content)}
}

// swapCase changes the case of letters that have only two.
func swapCase(r rune) rune {
	switch {
	case r >= unicode.MaxASCII:
		return r
	case unicode.IsUpper(r):
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}
