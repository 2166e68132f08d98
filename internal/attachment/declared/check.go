package declared

import (
	"slices"
	"strings"

	"belay/internal/authored"
)

// Check notes on r what is wrong with the sources of the entry as they are written: a
// path that leads out, a pattern that cannot be read, an address that cannot be
// fetched. Of a template it judges what stands before the first expression. With
// project, paths begin at the project where the entry does not say where they do.
func (e *Entry) Check(r *authored.Report, project bool) {
	what := ownFolder
	if e.project || project && !e.said {
		what = projectFolder
	}
	for i := range e.sources {
		s := &e.sources[i]
		if e.Type != "" && !slices.Contains(accepts[e.Type], s.field) {
			continue // that is wrong with it
		}
		if err := s.check(e.plural, what); err != nil {
			r.Beyond(authored.RuleSource, &authored.Node{Line: s.line, Column: s.column}, e.Path+"."+s.field, "", "%v", err)
		}
	}
}

func (s *source) check(plural bool, what string) error {
	text := s.text.Text()
	var err error
	switch whole := s.text.Plain(); {
	case s.url && whole:
		_, err = address(text)
	case s.url:
		if before, _, _ := strings.Cut(text, "{{"); strings.Contains(before, "://") {
			err = scheme(before)
		}
	case whole && plural:
		_, err = cleanPattern(text, what)
	case whole:
		_, err = clean(text, what)
	default:
		before, _, _ := strings.Cut(text, "{{")
		_, err = clean(before[:strings.LastIndexAny(before, `/\`)+1], what)
	}
	return err
}
