package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"belay/internal/nearest"
)

// builder gathers the settings of one Config.
type builder struct {
	keys     []*key
	byName   map[string]*key
	problems []Problem
	warnings []string
}

func (b *builder) problem(where, key, message, hint string) {
	b.problems = append(b.problems, Problem{Where: where, Key: key, Message: message, Hint: hint})
}

// assign takes a value from text.
func (b *builder) assign(k *key, text, base, origin string) {
	if err := k.value.set(unlisted(text, k.value.kind()), base); err != nil {
		b.refuse(k, err, func(int) string { return origin })
		return
	}
	k.origin = origin
}

// unlisted is a text in which a list is written as in a file, in the form that values take.
func unlisted(text string, want kind) string {
	s := strings.TrimSpace(text)
	if want&sequence == 0 || !strings.HasPrefix(s, "[") || !strings.HasSuffix(s, "]") {
		return text
	}
	n, err := valueNode(s)
	if err != nil || n.Kind != yaml.SequenceNode {
		return text
	}
	if items, err := scalarOf(n, want); err == nil {
		return items
	}
	return text
}

// refuse reports what is wrong with a value: each wrong item of a list by itself, at the
// place that where names for it, and else the whole, at the place of item -1.
func (b *builder) refuse(k *key, err error, where func(item int) string) {
	var items badItems
	if !errors.As(err, &items) {
		items = badItems{{-1, err}}
	}
	for _, bad := range items {
		message, hint := parts(bad.err)
		b.problem(where(bad.at), k.name, message, hint)
	}
}

// assignNode takes a value from a file.
func (b *builder) assignNode(k *key, n *yaml.Node, f *file) {
	var err error
	if t, ok := k.value.(interface{ setNode(*yaml.Node) error }); ok {
		err = t.setNode(n)
	} else {
		var text string
		if text, err = scalarOf(n, k.value.kind()); err == nil {
			err = k.value.set(text, f.dir)
		}
	}
	var nodes badNodes
	switch {
	case err == nil:
		k.origin = f.where(n, false)
	case errors.As(err, &nodes):
		for _, bad := range nodes {
			message, hint := bad.parts()
			b.problem(f.where(bad.at, true), k.name, message, hint)
		}
	default:
		b.refuse(k, err, func(item int) string {
			if item >= 0 && n.Kind == yaml.SequenceNode { // scalarOf refuses items with commas
				return f.where(n.Content[item], true)
			}
			return f.where(n, true)
		})
	}
}

func (b *builder) read(f *file) {
	b.problems = append(b.problems, f.problems...)
	b.ignoreRemoved(f)
	for _, e := range f.entries {
		b.assignNode(b.byName[e.key], e.node, f)
	}
}

// environment takes variables; of several names for one setting the first that
// is set and not blank holds.
func (b *builder) environment(env map[string]string, dir string) {
	b.ignoreVariables(env)
	known := map[string]bool{"BELAY_CONFIG": true, discordToken: true}
	for _, r := range removedSettings {
		known[envName(r.name)] = true
	}
	for _, k := range b.keys {
		known[k.env()] = true
		taken := false
		for _, a := range append([]alias{{name: k.env()}}, k.aliases...) {
			v := env[a.name]
			if strings.TrimSpace(v) == "" || taken {
				continue
			}
			taken = true
			origin := "env " + a.name
			if a.convert != nil {
				converted, err := a.convert(v)
				if err != nil {
					b.problem(origin, k.name, err.Error(), "")
					continue
				}
				v = converted
			}
			b.assign(k, v, dir, origin)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if strings.HasPrefix(name, "BELAY_") && !known[name] {
			b.warnings = append(b.warnings, fmt.Sprintf("the environment variable %s sets nothing; %s", clean(name), b.meant(name)))
		}
	}
}

// meant is the next step for a variable that no setting has: the one that has a
// name like it, or to which a part was not written.
func (b *builder) meant(name string) string {
	best, bestAt := "", 3
	for _, k := range b.keys {
		d := nearest.Distance(name, k.env())
		if strings.HasSuffix(k.env(), strings.TrimPrefix(name, "BELAY")) {
			d = min(d, 1)
		}
		if d < bestAt {
			best, bestAt = k.env(), d
		}
	}
	if best == "" {
		return "no setting has that name (belay config show lists them)"
	}
	return "did you mean " + best + "?"
}

func (b *builder) defaultPaths(l *layers) {
	for name, p := range map[string]standardFolder{"state_dir": stateFolder, "cache_dir": cacheFolder} {
		if dir := p.in(l.o.System, l.o.Env, l.o.Home); dir != "" {
			b.assign(b.byName[name], dir, "", "default")
		}
	}
}

func secret(env map[string]string, names ...string) Secret {
	for _, n := range names {
		if v := strings.TrimSpace(env[n]); v != "" {
			return Secret{value: v, origin: n}
		}
	}
	return Secret{}
}
