package review

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"belay/internal/workspace"
)

const (
	namePackage = "package.json"

	reasonInstall   = "has a script that an installation of packages runs"
	reasonManager   = "names an address from which the package manager is downloaded"
	reasonUnread    = "cannot be read, so it may have a script that an installation of packages runs"
	reasonPackage   = "says what scripts and installed packages run"
	reasonToolchain = "can name the folder of the compiler"
)

// toolchains are files that choose a version of Rust.
var toolchains = []string{"rust-toolchain.toml", "rust-toolchain"}

// NeedsContent reports whether [Classify] looks at the content of the file. Of other
// files only the path, the type and the permissions count.
func NeedsContent(path string) bool {
	names := fold(components(path))
	if len(names) == 0 {
		return false
	}
	is := func(want string) bool { return workspace.SameName(names[len(names)-1], want) }
	return slices.ContainsFunc(slices.Concat([]string{namePackage, "head"}, gitConfigs, toolchains), is)
}

// content raises the risk to that of what the file says. What is installed already
// is not installed from there.
func content(f *Finding, e Entry, names []string) {
	if len(names) == 0 || inDependencies(names[:len(names)-1]) {
		return
	}
	is := func(want string) bool { return workspace.SameName(names[len(names)-1], want) }
	after, known := e.After.regular()
	switch {
	case slices.ContainsFunc(toolchains, is):
		// A version has none of these characters. A name with a backslash can spell path.
		if !known || bytes.Contains(bytes.ToLower(after), []byte("path")) || bytes.ContainsAny(after, `\/`) {
			f.raise(Automatic, reasonToolchain)
		}
	case is(namePackage):
		before, _ := e.Before.regular() // one that cannot be read had no scripts
		manifest(f, before, after, known)
	}
}

// regular is the content of a regular file, if it is known.
func (v Version) regular() ([]byte, bool) {
	if !v.Exists || !v.Mode.IsRegular() || !v.Known {
		return nil, false
	}
	return v.Content, true
}

// installScripts are those that npm, pnpm, yarn and bun run when somebody installs
// what the project needs.
var installScripts = []string{
	"preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare", "dependencies", "pnpm:devPreinstall",
}

// descriptive are keys of package.json that make nothing run.
var descriptive = []string{
	"name", "version", "description", "keywords", "author", "contributors", "maintainers", "license", "homepage", "repository", "bugs", "private",
	"funding", "publishConfig", "files", "sideEffects", "types", "typings", "browserslist",
}

// manifest compares two versions of a package.json by their keys.
func manifest(f *Finding, before, after []byte, known bool) {
	now, ok := object(after)
	scripts, okScripts := object(now["scripts"])
	if _, has := now["scripts"]; !known || !ok || has && !okScripts {
		f.raise(Automatic, reasonUnread)
		return
	}
	was, _ := object(before)
	earlier, _ := object(was["scripts"])
	for _, name := range installScripts {
		// A script that is gone does not run.
		if value, has := scripts[name]; has && !same(value, earlier[name]) {
			f.raise(Automatic, reasonInstall)
		}
	}
	// Corepack downloads a package manager from an address and runs it. An escape may
	// hide the colon.
	const manager = "packageManager"
	if value := now[manager]; bytes.ContainsAny(value, `:\`) && !same(value, was[manager]) {
		f.raise(Automatic, reasonManager)
	}
	for _, of := range []map[string]jsontext.Value{was, now} {
		for key := range of {
			if !slices.Contains(descriptive, key) && !same(was[key], now[key]) {
				f.raise(OnRequest, reasonPackage)
			}
		}
	}
}

// object returns the members of a JSON object. One with the same name twice is not
// read: programs differ in which of the two counts.
func object(data []byte) (map[string]jsontext.Value, bool) {
	members := map[string]jsontext.Value{}
	if !jsontext.Value(data).IsValid() || json.Unmarshal(data, &members) != nil || members == nil {
		return nil, false
	}
	return members, true
}

// same reports whether two values are equal apart from white space. A missing value
// equals only another one.
func same(a, b jsontext.Value) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	a, b = slices.Clone(a), slices.Clone(b)
	return a.Compact() == nil && b.Compact() == nil && bytes.Equal(a, b)
}
