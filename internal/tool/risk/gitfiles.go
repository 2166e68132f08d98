package risk

import (
	"os"
	"path/filepath"
	"strings"

	"belay/internal/durable"
	"belay/internal/workspace/gitconfig"
	"belay/internal/workspace/gitdir"
)

// collect returns the settings of a configuration and of those that it includes. The
// conditions of includes count as true: they may become it.
func (s *search) collect(file string, depth int, seen map[string]bool) (all []gitconfig.Setting) {
	if seen[file] {
		return nil
	}
	if seen[file] = true; depth > maxIncludes {
		s.unread = true
		return nil
	}
	for _, one := range s.parsed(file) {
		all = append(all, one)
		if name := one.Name(); name != "include.path" && name != "includeif.path" || one.Value == "" {
			continue
		}
		included := gitdir.From(filepath.Dir(file), s.expanded(one.Value))
		s.add("", included, false)
		all = append(all, s.collect(included, depth+1, seen)...)
	}
	return all
}

// parsed returns the settings of one file, none where it does not exist.
func (s *search) parsed(file string) []gitconfig.Setting {
	if all, ok := s.read[file]; ok || file == os.DevNull {
		return all
	}
	if len(s.read) >= maxFiles || s.bytes >= maxConfigs || elsewhere(file) {
		s.unread = true
		return nil
	}
	data, _, err := durable.ReadFile(nil, file, maxConfig)
	if err != nil && !gitdir.Missing(err) {
		s.unread = true
	}
	all, err := gitconfig.Parse(string(data))
	if err != nil { // git gives up, and programs that are not git may not
		s.unread = true
	}
	s.bytes += len(data)
	s.read[file] = all
	return all
}

// elsewhere reports whether a path is one of another machine. To look at one signs in there.
func elsewhere(at string) bool { return strings.HasPrefix(filepath.ToSlash(at), "//") }
