package chat

import (
	"slices"

	"belay/internal/permit"
)

// mode is a permission mode and what it means for a person.
type mode struct{ name, means string }

// allModes are the permission modes, in the order in which they are offered: the one
// that asks about everything first.
func allModes() []mode {
	return []mode{
		{string(permit.Direct), "reads by itself, asks before it changes anything"},
		{string(permit.AcceptEdits), "ordinary files in its write scope change without a question"},
		{string(permit.Plan), "only reads; whatever would change something is refused"},
		{string(permit.DontAsk), "nobody is asked; what would need an answer is refused"},
	}
}

// modeNames are their names.
func modeNames() []string {
	var names []string
	for _, m := range allModes() {
		names = append(names, m.name)
	}
	return names
}

// modeMeaning says what a mode means, "" for one that there is not.
func modeMeaning(name string) string {
	for _, m := range allModes() {
		if m.name == name {
			return m.means
		}
	}
	return ""
}

// nextMode is the mode after another one, around; the first where that is none.
func nextMode(name string) string {
	names := modeNames()
	return names[(slices.Index(names, name)+1)%len(names)]
}

func modeOffers() []offer {
	var offers []offer
	for _, m := range allModes() {
		offers = append(offers, offer{name: m.name, detail: m.means})
	}
	return offers
}
