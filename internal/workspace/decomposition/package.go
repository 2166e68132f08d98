package decomposition

import (
	"slices"
	"strings"

	"belay/internal/lazyregexp"
	"belay/internal/workspace/finding"
	"belay/internal/workspace/layout"
)

// packageOf decides to which package a deliverable belongs, "" for none. Section is
// [Deliverable.Section].
func (p *parser) packageOf(def *definition) (pkg, section string) {
	if def.stated != "" {
		stated, ok := p.statedPackage(def.stated)
		switch defined, known := p.out.Package(stated); {
		case ok && known:
			return defined.ID, ""
		case ok:
			p.find(&ruleNoPackage, def.line, "%s belongs to %s, which is not defined", def.id, stated)
			p.report(stated)
			return "", ""
		}
		p.find(&rulePackageUnclear, def.line, "the package of %s is given as %q", def.id, finding.Shown(def.stated))
	}
	own, ofOwn := p.out.Package(ofNumber(def.id))
	around, inSection := p.out.Package(def.around)
	switch {
	case ofOwn && inSection && own.ID != around.ID:
		p.find(&ruleMisplaced, def.line, "%s stands in the section of %s; by its number it belongs to %s", def.id, around.ID, own.ID)
		return own.ID, around.ID
	case ofOwn:
		return own.ID, ""
	case inSection:
		return around.ID, ""
	}
	p.find(&ruleNoPackage, def.line, "nothing says to which package %s belongs", def.id)
	return "", ""
}

// ofNumber is the id of the package that has a deliverable's number.
func ofNumber(deliverable string) string { return "PKG-" + strings.Split(deliverable, "-")[1] }

// packageNumber is a package's number alone, as a column of numbers has it.
var packageNumber = lazyregexp.New(`^[0-9]{1,3}$`)

// statedPackage is the id of the one package that a column or label names, by its
// id, its number or its name.
func (p *parser) statedPackage(text string) (id string, ok bool) {
	if ids := packageIDs(text); len(ids) > 0 {
		return ids[0], len(ids) == 1
	}
	name := fold(plain(text))
	if packageNumber.MatchString(name) {
		return "PKG-" + name, true
	}
	if named := p.packagesByName()[name]; name != "" && len(named) == 1 {
		return named[0], true
	}
	return "", false
}

// packagesByName are the ids of packages by their folded names, which are many to fold again for
// each deliverable.
func (p *parser) packagesByName() map[string][]string {
	if p.byName == nil {
		p.byName = make(map[string][]string, len(p.out.Packages))
		for _, pkg := range p.out.Packages {
			name := fold(pkg.Name)
			p.byName[name] = append(p.byName[name], pkg.ID)
		}
	}
	return p.byName
}

// packageIDs are the ids of packages in a text, each once.
func packageIDs(text string) (ids []string) {
	for _, at := range anyID.FindAllStringIndex(text, -1) {
		id := text[at[0]:at[1]]
		same := func(other string) bool { return layout.Number(other) == layout.Number(id) }
		if layout.IsPackageID(id) && !goesOn(text[at[1]:]) && !slices.ContainsFunc(ids, same) {
			ids = append(ids, id)
		}
	}
	return ids
}

// packageKey is what two statements of one package have in common: the number of
// the id, or the text without what does not count.
func packageKey(text string) string {
	if ids := packageIDs(text); len(ids) == 1 {
		return layout.Number(ids[0])
	}
	return fold(plain(text))
}

// IsOpen reports a value that says nothing yet.
func IsOpen(value string) bool {
	switch strings.ToUpper(plain(value)) {
	case "", "TBD", "N/A", "-", "--", "—", "NONE":
		return true
	}
	return false
}
