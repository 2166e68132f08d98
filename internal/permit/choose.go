package permit

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Choices are the files of a question about changes, and its repositories and ignored
// folders, of which an answer can pick some ([Decision.Only]). It is nil where there is
// nothing to pick from.
func (e Effect) Choices() []string {
	if e.Done == nil {
		return nil
	}
	all := slices.Clone(e.Paths)
	for _, i := range e.Done.Ignored {
		all = append(all, i.Path)
	}
	if len(all) < 2 {
		return nil
	}
	return all
}

// Choose reads which of the [Effect.Choices] a person means: numbers from 1, ranges
// such as 2-4, paths, folders, and patterns with * and ?, with spaces or commas between
// them. A pattern without a slash is about names in any folder. A number never means a file of
// that name, which a command may have chosen. The error says which part fits nothing.
func (e Effect) Choose(text string) (only []string, err error) {
	all := e.Choices()
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '\t' })
	if len(parts) == 0 {
		return nil, fmt.Errorf("name files by their numbers, such as 1 3-4, or by a pattern, such as src/*.go")
	}
	picked := make([]bool, len(all))
	for _, part := range parts {
		low, high, number := numbers(part)
		found := false
		for i, p := range all {
			if fits := low <= i+1 && i+1 <= high; number && fits || !number && means(part, p) {
				picked[i], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("none of the %d files is %s", len(all), clip(strconv.Quote(part), 100))
		}
	}
	for i, p := range all {
		if picked[i] {
			only = append(only, p)
		}
	}
	return only, nil
}

// Named are the paths that a person names, each by itself or with a pattern such as out/*,
// which means what it does in [Effect.Choose]. A name that is no pattern stays as it is. The
// error says which pattern fits nothing, or that not all files are known here.
func (e Effect) Named(names []string) (only []string, err error) {
	for _, name := range names {
		if !strings.ContainsAny(name, "*?") || slices.ContainsFunc(e.Paths, func(p string) bool { return p == name || strings.HasPrefix(p, name+"/") }) {
			only = append(only, name)
			continue
		}
		if e.Done == nil {
			return nil, fmt.Errorf("%s is a pattern, and nobody knows yet which files change", clip(name, 100))
		}
		all := slices.Clone(e.Paths)
		files := len(all)
		for _, i := range e.Done.Ignored {
			all, files = append(all, i.Path), files+i.Files
		}
		if files < e.Done.Files {
			return nil, fmt.Errorf("%s is a pattern, and only %d of the %d files are known here: name folders", clip(name, 100), files, e.Done.Files)
		}
		fits := slices.DeleteFunc(all, func(p string) bool { return !means(name, p) })
		if len(fits) == 0 {
			return nil, fmt.Errorf("none of the %d files is %s", e.Done.Files, clip(strconv.Quote(name), 100))
		}
		only = append(only, fits...)
	}
	return only, nil
}

// numbers reads a number, or a range such as 2-4. It is false for other texts.
func numbers(text string) (low, high int, ok bool) {
	from, to, ranged := strings.Cut(text, "-")
	if !ranged {
		to = from
	}
	low, err := strconv.Atoi(from)
	high, err2 := strconv.Atoi(to)
	return low, high, err == nil && err2 == nil
}

// means reports whether a text names a path, a folder of it, or is a pattern for it.
func means(text, name string) bool {
	text = strings.TrimSuffix(text, "/")
	if name == text || strings.HasPrefix(name, text+"/") || splitPath(text).match(name) {
		return true
	}
	return !strings.Contains(text, "/") && splitPath(text).match(path.Base(name))
}
