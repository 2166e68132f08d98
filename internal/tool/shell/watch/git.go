package watch

import (
	"io"
	"os"
	"path"
	"strings"
)

// gitChange returns why a change to the protected part of a .git folder is taken
// back. In a repository that the command made, what Git itself writes there
// stays.
func (r *review) gitChange(c change, rest string) error {
	repo := strings.TrimSuffix(strings.TrimSuffix(c.path, rest), "/")
	if _, was := r.before.at(repo); was || !c.is {
		return errGit
	}
	switch base := path.Base(rest); {
	case c.new.mode.IsDir():
		return nil
	case !c.new.mode.IsRegular():
		return errGit
	case rest == "": // a file that says where the folder is
		if target, ok := strings.CutPrefix(r.text(c.path), "gitdir: "); ok {
			if in, _ := gitPart(path.Join(path.Dir(c.path), strings.TrimSpace(target))); in && !path.IsAbs(target) {
				return nil
			}
		}
		return errGit
	case base == "config" && harmlessConfig(r.text(c.path)), strings.HasSuffix(base, ".sample"):
		return nil
	}
	return errGit
}

// maxConfigBytes is more than any new repository's configuration has.
const maxConfigBytes = 64 << 10

// text reads a small file; one that cannot be read is empty.
func (r *review) text(p string) string {
	f, err := r.place.Root.OpenFile(p, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxConfigBytes+1))
	if err != nil || len(data) > maxConfigBytes {
		return ""
	}
	return string(data)
}

// harmless are the settings that Git writes into a new repository, by section.
// None of them names a program.
var harmless = map[string]string{
	"core":      " repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks ",
	"remote":    " url fetch tagopt ",
	"branch":    " remote merge ",
	"submodule": " url active ",
	"user":      " name email ",
	"init":      " defaultbranch ",
}

// harmlessConfig reports whether a configuration has only such settings. A form
// that it does not know is not harmless.
func harmlessConfig(text string) bool {
	keys := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case strings.HasSuffix(line, `\`):
			return false
		case line[0] == '[':
			name, rest, ok := strings.Cut(line[1:], "]")
			name, _, _ = strings.Cut(name, " ")
			keys = harmless[strings.ToLower(name)]
			if !ok || rest != "" || keys == "" {
				return false
			}
		default:
			key, value, _ := strings.Cut(line, "=")
			if !strings.Contains(keys, " "+strings.ToLower(strings.TrimSpace(key))+" ") || strings.Contains(value, "::") {
				return false // :: names a helper program
			}
		}
	}
	return text != ""
}
