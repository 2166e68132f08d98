package app

import (
	"slices"
	"strings"
)

// PersonEnv is the environment of a command that runs as the person: theirs,
// without what is belay's own, such as the keys of providers.
func PersonEnv(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		name = strings.ToUpper(name)
		return name == "ANTHROPIC_API_KEY" || name == "OPENAI_API_KEY" ||
			strings.HasPrefix(name, "BELAY_") || strings.HasPrefix(name, "CHIRALITY_")
	})
}
