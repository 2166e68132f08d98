package finding

import (
	"cmp"
	"maps"
	"slices"
	"sync"
)

// Digest is what people are shown of findings: how many there are of each code, and
// the first of them. It counts what it is given and keeps no more than it shows, so its
// size does not grow with the project. It is safe for concurrent use.
type Digest struct {
	most int

	mu       sync.Mutex
	groups   map[string]*Group
	remedies map[Remedy]int
	packages map[string]bool
	kept     int
	errors   int
	warnings int
}

// Group is the findings of one code.
type Group struct {
	Code string
	// Severity is [Error] where one of them is.
	Severity Severity
	Extra    bool
	Count    int
	// Files is how many files and folders they are about, Packages how many are in each
	// package.
	Files    int
	Packages map[string]int
	// Fix is the next step of all of them, "" where they have several.
	Fix string

	// Shown are the first of them by path and place, as many as are shown.
	Shown []Finding
}

// NewDigest returns an empty digest that shows at most so many findings of each
// code; 0 shows all, up to [MaxReported].
func NewDigest(most int) *Digest {
	return &Digest{most: most, groups: map[string]*Group{}, remedies: map[Remedy]int{}, packages: map[string]bool{}}
}

// Add counts findings, and how many each [Finding.Remedy] is for. Those about one file
// must come together.
func (d *Digest) Add(all []Finding) {
	if len(all) == 0 {
		return
	}
	type seen struct{ code, path string }
	files := make(map[seen]bool, len(all))
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range all {
		f := &all[i]
		g := d.groups[f.Code]
		if g == nil {
			g = &Group{Code: f.Code, Severity: f.Severity, Extra: f.Extra, Fix: f.Fix, Packages: map[string]int{}}
			d.groups[f.Code] = g
		}
		g.Count++
		if f.Severity == Error {
			g.Severity = Error
			d.errors++
		} else {
			d.warnings++
		}
		if g.Fix != f.Fix {
			g.Fix = ""
		}
		if at := (seen{f.Code, f.Path}); !files[at] {
			files[at] = true
			g.Files++
		}
		pkg, _ := Place(f.Path)
		g.Packages[pkg]++
		d.packages[pkg] = true
		d.keep(g, f)
		if f.Remedy.Command != "" {
			d.remedies[f.Remedy]++
		}
	}
}

// keep takes a finding that may be one of the first of its group.
func (d *Digest) keep(g *Group, f *Finding) {
	if d.most == 0 {
		if d.kept < MaxReported {
			d.kept++
			g.Shown = append(g.Shown, *f)
		}
		return
	}
	at, _ := slices.BinarySearchFunc(g.Shown, *f, func(a, b Finding) int {
		return cmp.Or(compare(a, b), -1) // after those that are equal
	})
	if at < d.most {
		g.Shown = slices.Insert(g.Shown, at, *f)
		g.Shown = g.Shown[:min(len(g.Shown), d.most)]
	}
}

// Groups are the findings by code: errors before warnings, and then in the order of
// the rules, which goes from the root down to the rows of a register. What is wrong
// further up is often the cause of what is wrong below.
func (d *Digest) Groups(rules []Rule) []*Group {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.most == 0 {
		for _, g := range d.groups {
			Sort(g.Shown)
		}
	}
	rank := make(map[string]int, len(rules))
	for i, r := range rules {
		if _, ok := rank[r.Code]; !ok {
			rank[r.Code] = i - len(rules)
		}
	}
	return slices.SortedFunc(maps.Values(d.groups), func(a, b *Group) int {
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(rank[a.Code], rank[b.Code]), cmp.Compare(a.Code, b.Code))
	})
}

// Tallies are the numbers of [Digest.Groups]: errors first, the most frequent ones before
// others.
func (d *Digest) Tallies() []Tally {
	d.mu.Lock()
	defer d.mu.Unlock()
	tallies := make([]Tally, 0, len(d.groups))
	for _, g := range d.groups {
		tallies = append(tallies, Tally{g.Code, g.Severity, g.Count})
	}
	slices.SortFunc(tallies, func(a, b Tally) int {
		return cmp.Or(cmp.Compare(a.Severity, b.Severity), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Code, b.Code))
	})
	return tallies
}

// Count returns how many of each severity there are.
func (d *Digest) Count() (errors, warnings int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.errors, d.warnings
}

// Packages is how many packages, and the project beside them, have findings.
func (d *Digest) Packages() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.packages)
}

// Remedies are the commands for findings, the one for most of them first, and how many each
// is for.
func (d *Digest) Remedies() (all []Remedy, counts map[Remedy]int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	counts = maps.Clone(d.remedies)
	return slices.SortedFunc(maps.Keys(counts), func(a, b Remedy) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.Command, b.Command), cmp.Compare(a.Document, b.Document))
	}), counts
}
