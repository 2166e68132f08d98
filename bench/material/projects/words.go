package projects

import (
	"math/rand/v2"
	"strings"
)

var (
	areas = []string{
		"Site and Civil Works", "Main Building", "Delivery Controls", "Runtime Core", "Attachments", "Packaging", "Validation Assets",
		"Energy and Sustainability", "Schedule and Milestones", "Commissioning and Closeout",
	}
	subjects = []string{
		"Foundation", "Drainage", "Roof Structure", "Power Distribution", "Lighting", "Fire Safety", "Session Store", "Event Stream",
		"Register Linter", "Cost Plan", "Bonding and Insurance", "Traffic Access", "Ventilation", "Water Supply", "Survey Control",
	}
	works    = []string{"Plan", "Specification", "Design Basis", "Calculation Set", "Drawing Package", "Test Evidence", "Narrative", "Schedule"}
	sentence = []string{
		"The element carries the loads that the basis of design lists, with the margins that the governing code asks for.",
		"Interfaces to neighbouring packages are fixed at the boundary and change only by a recorded decision.",
		"Quantities are taken from the approved drawings and rounded up to the unit in which they are bought.",
		"Where a source is silent the assumption is written down, labelled as such, and brought to the next review.",
		"Acceptance rests on a test that was agreed before the work began, by people who did not do the work.",
		"A change of a reference document is a reason to look at this text again.",
	}
)

func pick[T any](r *rand.Rand, all []T) T { return all[r.IntN(len(all))] }

func underlined(s string) string { return strings.ReplaceAll(s, " ", "_") }

// prose is about n bytes of sentences.
func prose(r *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(pick(r, sentence))
	}
	return b.String()
}
