package config

import "strings"

// Setting is one key as the reference page describes it.
type Setting struct {
	Key, Default, Doc string
	// Why is the reason to change it.
	Why string
	// Env are the variables that set it, in order of preference.
	Env []string
	// Flag is the name of its flag, without hyphens before it, on the commands
	// that have one for each setting of its section.
	Flag string
	// Switch is set for true and false.
	Switch bool
	// Project says what a project's belay.yaml may do: "", "suggest" or
	// "tighten".
	Project string
	// Limited is set for quantities; Least and Most are then the bounds of the
	// value, in the form in which it is written.
	Limited     bool
	Least, Most string
}

// Reference describes every setting, in the order of the reference page.
func Reference() []Setting {
	var all []Setting
	for _, k := range settings(&Config{}) {
		s := Setting{Key: k.name, Default: k.def, Doc: k.doc, Why: k.why, Env: []string{k.env()}, Flag: k.flagName()}
		for _, a := range k.aliases {
			s.Env = append(s.Env, a.name)
		}
		_, s.Switch = k.value.(boolean)
		switch k.project {
		case suggestion:
			s.Project = "suggest"
		case tighten:
			s.Project = "tighten"
		}
		if b, ok := k.value.(interface{ bounds() (least, most string) }); ok {
			s.Limited = true
			s.Least, s.Most = b.bounds()
		}
		all = append(all, s)
	}
	return all
}

// Words are what a setting takes, where it takes only a few words; nil for any other.
func Words(key string) []string {
	for _, k := range settings(&Config{}) {
		if k.name != key {
			continue
		}
		if v, ok := k.value.(interface{ offered() []string }); ok {
			return v.offered()
		}
	}
	return nil
}

func (boolean) offered() []string { return []string{"true", "false"} }

func (v choice[T]) offered() []string {
	all := make([]string, len(v.words))
	for i, w := range v.words {
		all[i] = string(w)
	}
	return all
}

// bounds are the least and the most that the value may be, as written.
func (v limit[T]) bounds() (least, most string) {
	least = v.form.format(v.min)
	if v.none && !strings.HasPrefix(least, "0") {
		least = "0 or " + least
	}
	return least, v.form.format(v.max)
}
