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
	return slices.ContainsFunc(names(), func(k string) bool { return strings.HasPrefix(k, name+".") })
}
