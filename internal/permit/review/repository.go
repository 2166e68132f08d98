package review

import "strings"

// repositories finds folders that are git directories although they are not called
// .git. Git uses any folder above the working directory that has their files.
type repositories struct {
	// made are the paths, folded, that changes make or keep, with the folders above.
	made   map[string]bool
	exists func(path string) bool
	// known caches what at returns, by the original path.
	known map[string][2]bool
}

func newRepositories(entries []Entry, paths [][]string, exists func(string) bool) *repositories {
	r := &repositories{made: map[string]bool{}, exists: exists, known: map[string][2]bool{}}
	if exists == nil {
		r.exists = func(string) bool { return false }
	}
	for i, e := range entries {
		if !e.After.Exists {
			continue // exists answers for names that were there before
		}
		names := fold(paths[i][:min(len(paths[i]), maxDepth)])
		for n := len(names); n > 0; n-- {
			key := strings.Join(names[:n], "/")
			if r.made[key] {
				break // and the folders above
			}
			r.made[key] = true
		}
	}
	return r
}

// at reports whether the folder is a git directory with the changes, and whether it
// was one before. Git takes the objects and refs from elsewhere where there is a
// commondir.
func (r *repositories) at(original, names []string) (is, was bool) {
	folder := strings.Join(original, "/")
	if known, ok := r.known[folder]; ok {
		return known[0], known[1]
	}
	key := strings.Join(names, "/")
	before := func(name string) bool { return r.exists(below(folder, name)) }
	after := func(name string) bool { return r.made[below(key, strings.ToLower(name))] || before(name) }
	is, was = gitDirectory(after), gitDirectory(before)
	r.known[folder] = [2]bool{is, was}
	return is, was
}

// otherRepository raises the risk of what makes a folder a repository of hg or jj.
func (c *classifier) otherRepository(f *Finding, original, names []string) {
	for i := range names[:max(len(names)-1, 0)] {
		switch {
		case inDependencies(names[:i]):
			return
		case names[i] == ".hg" && names[i+1] == "store" && !c.repositories.exists(strings.Join(original[:i+1], "/")),
			names[i] == ".jj" && names[i+1] == "repo" && i+2 == len(names):
			f.raise(Automatic, reasonOtherRepository)
		}
	}
}

func gitDirectory(has func(name string) bool) bool {
	return has("HEAD") && (has("objects") && has("refs") || has("commondir"))
}

func below(folder, name string) string {
	if folder == "" {
		return name
	}
	return folder + "/" + name
}
