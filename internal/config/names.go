package config

import (
	"slices"
	"strings"
	"sync"
)

// names lists the settings.
var names = sync.OnceValue(func() []string {
	keys := settings(&Config{})
	list := make([]string, len(keys))
	for i, k := range keys {
		list[i] = k.name
	}
	return list
})

func isSetting(name string) bool { return slices.Contains(names(), name) }

func isSection(name string) bool {
	begins := func(k string) bool { return strings.HasPrefix(k, name+".") }
	return slices.ContainsFunc(names(), begins) || slices.ContainsFunc(removedSettings, func(r removed) bool { return begins(r.name) })
}
