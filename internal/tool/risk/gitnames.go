package risk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"belay/internal/permit/review"
	"belay/internal/workspace"
	"belay/internal/workspace/gitconfig"
	"belay/internal/workspace/gitdir"
)

// data are settings that name files and folders of which git runs nothing. A value with two
// colons may name a program all the same.
var data = map[string]bool{
	"core.worktree": true, "core.excludesfile": true, "commit.template": true, "blame.ignorerevsfile": true, "mailmap.file": true,
	"safe.directory": true, "maintenance.repo": true, "scalar.repo": true, "gui.recentrepo": true, "submodule.url": true,
	"user.signingkey": true, "gpg.allowedsignersfile": true, "lfs.fetchinclude": true, "lfs.fetchexclude": true, "init.defaultbranch": true,
}

// settings adds what settings name, as seen from a folder.
func (s *search) settings(all []gitconfig.Setting, base string) {
	for i := range all {
		one := &all[i]
		switch name := one.Name(); {
		case one.Value == "" || name == "include.path" || name == "includeif.path":
		case name == "core.hookspath":
			at := s.expanded(one.Value)
			s.add(base, at, true)
			s.hooks(gitdir.From(base, at))
		case review.PlainGitSetting(one) || data[name] && !strings.Contains(one.Value, "::"):
		default:
			s.value(one, base)
		}
	}
}

// value adds the words of a value that are paths of the project. Which of them git runs, and
// which the program that it runs reads, nobody can tell from here.
func (s *search) value(one *gitconfig.Setting, base string) {
	text, isShell := strings.CutPrefix(one.Value, "!")
	program := isShell || one.Section != "alias" // others begin with a command of git
	if !program && !strings.Contains(" "+text, " -") {
		return // only an option of such a command can name a program
	}
	words := map[string]bool{text: false} // whether it is an argument
	variables := strings.ContainsAny(text, "$`")
	for i, token := range tokens(text) {
		for _, w := range append(pieces(token), token) {
			words[w] = words[w] || program && i > 0
			if variables { // a variable may be the folder of the project
				if _, rest, cut := strings.Cut(w, "/"); cut {
					words[rest] = program
				}
			}
		}
	}
	for i, w := range strings.Fields(text) { // where a backslash is a separator
		words[w] = words[w] || program && i > 0
	}
	for w, argument := range words {
		s.word(base, w, argument)
	}
}

// word adds a word if it is a path of the project. One without a slash is a path only where
// there is such a file, and one of a folder only as an argument of a program: a first word
// would be looked for in PATH.
func (s *search) word(base, w string, argument bool) {
	if s.words++; s.words > maxWords || s.looks > maxLooks {
		s.unread = true
		return
	}
	at := s.expanded(w)
	if strings.Trim(at, "./") == "" || len(at) > 4096 || elsewhere(filepath.FromSlash(at)) {
		return
	}
	if !strings.ContainsAny(at, `/`+string(filepath.Separator)) {
		if !s.has(base, at) {
			return
		}
		if info, err := os.Stat(gitdir.From(base, at)); err == nil && info.IsDir() && !argument {
			return
		}
	}
	s.looks++
	s.add(base, at, false)
}

// has reports whether a folder has something of a name. It is read once: there may be many
// words.
func (s *search) has(folder, name string) bool {
	if s.changed[gitdir.From(folder, name)] {
		return true
	}
	names, ok := s.listed[folder]
	if !ok {
		if entries, err := list(folder, maxListed); err == nil && len(entries) <= maxListed {
			names = map[string]bool{}
			for _, e := range entries {
				names[workspace.Fold(e.Name())] = true
			}
		}
		s.listed[folder] = names
	}
	if names == nil { // it cannot be listed, or is too large
		s.looks++
		_, err := os.Lstat(gitdir.From(folder, name))
		return err == nil
	}
	return names[workspace.Fold(name)]
}

// list reads a folder, and one entry more than the most. Nothing is opened that waits, such as
// a pipe.
func list(folder string, most int) ([]fs.DirEntry, error) {
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, err
	}
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(most + 1)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return entries, err
}

// add adds a path if it is in the project. The project itself is one only where it is said to
// be whole.
func (s *search) add(base, at string, whole bool) {
	if elsewhere(filepath.FromSlash(at)) {
		return
	}
	if at = filepath.FromSlash(at); !filepath.IsAbs(at) {
		at = base + string(filepath.Separator) + at // as it is written: what .. leads to depends on links
	}
	for _, rel := range within(s.project, at) {
		if rel != "." || whole {
			s.paths[rel] = true
		}
	}
}

// hooks adds the files of the project that links in a folder of hooks lead to.
func (s *search) hooks(dir string) {
	if elsewhere(dir) {
		return
	}
	entries, _ := list(dir, maxHooks) // git cannot run what is in one that cannot be read
	if len(entries) > maxHooks {
		s.unread = true
	}
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink != 0 {
			s.add("", resolved(filepath.Join(dir, e.Name())), false)
		}
	}
}

// expanded is a path with the person's home folder in the place of a tilde.
func (s *search) expanded(at string) string {
	if rest, ok := strings.CutPrefix(at, "~/"); ok && s.home != "" {
		return s.home + "/" + rest
	}
	return at
}

// operators end words of a shell.
const operators = ";|&()<>"

// tokens splits a text into words as a shell does, without their quotes. What a shell would
// put in the place of a word is not looked for.
func tokens(text string) (all []string) {
	var b strings.Builder
	quote, in := byte(0), false
	end := func() {
		if in {
			all = append(all, b.String())
		}
		b.Reset()
		in = false
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, in = c, true
		case c == '\\' && quote != '\'' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
			in = true
		case quote == 0 && (strings.IndexByte(" \t\r\n", c) >= 0 || strings.IndexByte(operators, c) >= 0):
			end()
		default:
			b.WriteByte(c)
			in = true
		}
	}
	end()
	return all
}

// pieces are the parts of a word that may be paths: a text for another shell, what follows an
// equals sign, and what is around a variable.
func pieces(token string) []string {
	return strings.FieldsFunc(token, func(r rune) bool {
		return strings.ContainsRune(" \t\r\n\"'`={},:$"+operators, r)
	})
}
