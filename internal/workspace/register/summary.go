package register

import (
	"slices"
	"strings"

	"belay/internal/workspace/document"
	"belay/internal/workspace/layout"
)

// The tracking modes (workspace 5.3).
const (
	NotTracked = "NOT_TRACKED"
	Declared   = "DECLARED"
	Tracked    = "TRACKED"
)

// MaxSummary is the largest _DEPENDENCIES.md that is worth to read, in bytes.
const MaxSummary = 4 << 20

// The sections of _DEPENDENCIES.md (workspace 5.2). The first three belong to
// people.
const (
	sectionMode       = "Dependency Tracking Mode"
	sectionUpstream   = "Declared Upstream"
	sectionDownstream = "Declared Downstream"

	sectionRegister  = "Extracted Dependency Register"
	sectionLifecycle = "Lifecycle Summary"
	sectionNotes     = "Run Notes"
	sectionHistory   = "Run History"
	sectionHandoff   = "Consumer Handoff Notes"
)

var (
	humanSections = []string{sectionMode, sectionUpstream, sectionDownstream}
	agentSections = []string{sectionRegister, sectionLifecycle, sectionNotes, sectionHistory, sectionHandoff}
)

// Summary is _DEPENDENCIES.md: what people declare, and below it what agents
// extract. Every section that is not one of the agents' is taken for people's. It
// is not safe for concurrent use.
type Summary struct {
	doc *document.Document
	// parts are the level-2 sections and what is before them, in order.
	parts []part
}

// part is a section with everything below its heading.
type part struct {
	// name is what the specification calls it, "" for what it does not know and for
	// what is before the first section; heading is as it is written.
	name, heading string
	// first is the line of the heading, or 0; end is after the last line.
	first, end int
	agent      bool
}

// ParseSummary reads a _DEPENDENCIES.md. Any bytes are one.
func ParseSummary(data []byte) *Summary {
	s := &Summary{doc: document.Parse(data)}
	s.divide()
	return s
}

// Text reports whether the file is text, and not something that no change should
// touch.
func (s *Summary) Text() bool { return s.doc.Valid() }

// Conflict is the line, from 1, with which an unresolved conflict of a merge begins, 0 for none.
// No change should touch such a file either.
func (s *Summary) Conflict() int { return s.doc.Conflict() }

// Bytes is the file's content.
func (s *Summary) Bytes() []byte { return s.doc.Bytes() }

// maxHeadings bounds the headings that are looked at.
const maxHeadings = 10_000

// divide finds the sections.
func (s *Summary) divide() {
	s.parts = []part{{end: s.doc.Len()}}
	headings := s.doc.Headings()
	for _, h := range headings[:min(len(headings), maxHeadings)] {
		if h.Level == 1 {
			continue
		}
		last := &s.parts[len(s.parts)-1]
		name, _ := document.Canonical(layout.DependenciesFile, h.Text)
		agent, known := slices.Contains(agentSections, name), ""
		if agent || slices.Contains(humanSections, name) {
			known = name
		}
		// People divide what they declare further; agents do so with theirs.
		if h.Level > 2 && (last.agent || known == "") {
			continue
		}
		last.end = h.Line
		s.parts = append(s.parts, part{name: known, heading: h.Text, first: h.Line, end: s.doc.Len(), agent: agent})
	}
}

// part returns the first section of a name.
func (s *Summary) part(name string) (part, bool) {
	for _, p := range s.parts {
		if p.name == name {
			return p, true
		}
	}
	return part{}, false
}

// mode is what the summary says of the tracking mode, and where: the line from 1,
// and whether that is in the section of that name.
func (s *Summary) mode() (value string, line int, section bool) {
	people := s.parts
	if i := slices.IndexFunc(people, func(p part) bool { return p.agent }); i >= 0 {
		people = people[:i]
	}
	for _, p := range people {
		for _, f := range s.doc.Fields(p.first, p.end) {
			if isModeLabel(f.Label) {
				return strings.Trim(f.Value, "` "), f.Line + 1, document.Same(p.heading, sectionMode)
			}
		}
	}
	for _, p := range people {
		for i := p.first; i < p.end; i++ {
			label, value, ok := strings.Cut(strings.TrimLeft(s.doc.Line(i), " -*+`"), ":")
			if ok && isModeLabel(strings.TrimSpace(label)) && !s.doc.Inert(i) {
				return strings.Trim(value, "` "), i + 1, document.Same(p.heading, sectionMode)
			}
		}
	}
	return "", 0, false
}

// modeLabels are the labels of the tracking mode, the specification's first.
var modeLabels = []string{"Mode", "Tracking Mode", "Dependency Tracking Mode", "Dependency Tracking Status", "Tracking Status", "Dependency Tracking"}

func isModeLabel(label string) bool {
	return slices.ContainsFunc(modeLabels, func(l string) bool { return strings.EqualFold(l, label) })
}

// HumanParts are the lines that belong to people: their sections, headings
// included, and the tracking mode wherever it stands. Blank lines and rules do not
// count.
func HumanParts(data []byte) []string {
	s := ParseSummary(data)
	var lines []string
	for _, p := range s.parts {
		known := slices.Contains(humanSections, p.name)
		for i := p.first; i < p.end; i++ {
			line := strings.TrimRight(s.doc.Line(i), " \t")
			if line != "" && strings.Trim(line, "-") != "" && known {
				lines = append(lines, line)
			}
		}
	}
	if value, line, _ := s.mode(); line > 0 {
		lines = append(lines, sectionMode+": "+value)
	}
	return lines
}
