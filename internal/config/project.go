package config

import "fmt"

// suggested applies the defaults of a project's file, before any other layer,
// and reports what such a file must not set.
func (b *builder) suggested(f *file) {
	b.problems = append(b.problems, f.problems...)
	b.ignoreRemoved(f)
	for _, e := range f.entries {
		k := b.byName[e.key]
		switch k.project {
		case suggestion:
			b.assignNode(k, e.node, f)
		case never:
			b.problem(f.where(e.node, true), k.name, "a project's "+projectFile+" may not set this",
				"put it in your own "+userFile+"; a project may only suggest default_model, tighten limits and add denials")
		}
	}
}

// tightened applies the limits of a project's file, after every other layer:
// the stricter value holds, whichever side set the other.
func (b *builder) tightened(f *file, checkRule func(setting, rule string) error) {
	scratch := &builder{keys: settings(&Config{}), byName: map[string]*key{}}
	for _, k := range scratch.keys {
		scratch.byName[k.name] = k
		k.checkRules(checkRule)
	}
	for _, e := range f.entries {
		k, theirs := b.byName[e.key], scratch.byName[e.key]
		if k.project != tighten {
			continue
		}
		before := len(scratch.problems)
		scratch.assignNode(theirs, e.node, f)
		if len(scratch.problems) > before {
			continue
		}
		had := k.value.String()
		if k.value.(tightener).tighten(theirs.value) {
			k.origin = f.where(e.node, false)
		} else if theirs.value.String() != had {
			b.warnings = append(b.warnings, fmt.Sprintf("%s: %s %s is looser than %s and is ignored; a project can only tighten",
				f.where(e.node, false), k.name, theirs.value, had))
		}
	}
	b.problems = append(b.problems, scratch.problems...)
}
