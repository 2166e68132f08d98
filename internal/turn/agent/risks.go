package agent

import (
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode"

	"belay/internal/event"
	"belay/internal/permit"
	"belay/internal/permit/review"
	"belay/internal/session"
	"belay/internal/tool/files"
	"belay/internal/tool/risk"
	"belay/internal/turn/changes"
)

// The codes of the warnings at the end of a turn that changed files which run when somebody
// asks for it, or by themselves.
const (
	codeRunsOnRequest = "RUNS_ON_REQUEST"
	codeRunsByItself  = "RUNS_BY_ITSELF"
)

// maxJudged bounds a file whose content decides what it makes run, in bytes.
const maxJudged = 1 << 20

// WarnOfRisks warns of the files that the turn changed and that make programs run.
func (a *Run) WarnOfRisks() []event.Draft { return a.risks.warnings() }

// risks looks at the files that the turns of a session changed, for what they make run.
type risks struct{ run *Run }

// warnings list the files of the turn that run by themselves, which a person or a rule
// allowed, and those that run when a person builds, tests or starts the project, about which
// nobody was asked because of that. The record of the turn tells, so the lists are whole
// after a crash.
func (k *risks) warnings() (drafts []event.Draft) {
	defer func() {
		if v := recover(); v != nil { // the turn has ended all the same
			k.run.Logger.Error("look at what a turn changed", "panic", v)
		}
	}()
	found := k.of(netChanges(k.run.Lease.Entries(), k.run.ID))
	drafts = append(drafts, warningOf(found, review.Automatic, codeRunsByItself, "changed files that other programs run by themselves: ")...)
	return append(drafts, warningOf(found, review.OnRequest, codeRunsOnRequest, "changed files that run when you build, test or start the project: ")...)
}

// warningOf is the warning of the files with a risk, none where there are none.
func warningOf(found []review.Finding, of review.Risk, code, said string) []event.Draft {
	var all, paths []string
	for _, f := range found {
		if f.Risk == of {
			all, paths = append(all, risk.Sentence(f.Path, f.Reason)), append(paths, f.Path)
		}
	}
	if len(all) == 0 {
		return nil
	}
	const most = 20
	said += strings.Join(all[:min(len(all), most)], "; ")
	if len(all) > most {
		said += "; and more"
	}
	w := event.Warning{Code: code, Message: said, Paths: paths[:min(len(paths), maxRunPaths)]}
	return []event.Draft{{Type: event.TurnWarning, Data: w}}
}

// maxRunPaths is how many paths such a warning has.
const maxRunPaths = 200

// mayExecute are the files that the session changed and that a command outside the
// sandbox may execute: those that run by themselves or on request, programs, and what
// the command's text names.
func (k *risks) mayExecute(e permit.Effect) (sentences []string) {
	changed := netChanges(k.run.Lease.Entries(), "")
	words := pathsIn(e.Command, k.run.environment.Project)
	for i, f := range k.of(changed) {
		c := changed[i].last
		switch {
		case c.Removes():
		case f.Risk != review.Ordinary:
			sentences = append(sentences, risk.Sentence(f.Path, f.Reason))
		case named(words, e.Command, c.Path):
			sentences = append(sentences, risk.Sentence(f.Path, "is named in the command"))
		case c.AfterMode.IsRegular() && c.AfterMode&0o111 != 0:
			sentences = append(sentences, risk.Sentence(f.Path, "is a program"))
		}
	}
	return append(sentences, k.newHooks(e.Command)...)
}

// newHooks are the hooks of the project's repository that were changed since the session
// began, for a command that names git: the record of a session has no files of git.
func (k *risks) newHooks(command string) (sentences []string) {
	const dir = ".git/hooks"
	if !strings.Contains(command, "git") {
		return nil
	}
	entries, _ := fs.ReadDir(k.run.environment.Root.FS(), dir) // none where there is no repository
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || strings.HasSuffix(e.Name(), ".sample") || info.ModTime().Before(k.run.Lease.Record().CreatedAt.Time) {
			continue
		}
		sentences = append(sentences, risk.Sentence(path.Join(dir, e.Name()), "is a hook of git, changed since the session began"))
	}
	return sentences
}

// netChange is the outcome of a file: the first change has what it was, the last what it
// is. Each has the contents of its own.
type netChange struct{ first, last session.Change }

// netChanges are the files that the turns of a session changed, of one turn or all for
// "", each once. Changes that were taken back do not count.
func netChanges(entries []session.Entry, turnID string) (all []netChange) {
	at := map[string]int{}
	for _, set := range changes.In(entries, turnID) {
		if set.Undone != nil {
			continue
		}
		for _, c := range set.Changes {
			i, known := at[c.Path]
			switch {
			case c.Restored:
			case known:
				all[i].last = c.Change
			default:
				at[c.Path] = len(all)
				all = append(all, netChange{c.Change, c.Change})
			}
		}
	}
	return slices.DeleteFunc(all, func(c netChange) bool {
		return c.first.Before == c.last.After && c.first.BeforeMode == c.last.AfterMode
	})
}

// of returns what changes make run, in their order.
func (k *risks) of(all []netChange) []review.Finding {
	if len(all) == 0 {
		return nil
	}
	if err := k.run.openEnvironment(); err != nil {
		k.run.Logger.Error("look at what a turn changed", "error", err)
		return nil
	}
	if k.run.environment.Root == nil { // the turn has no tools
		return nil
	}
	entries := make([]review.Entry, len(all))
	for i, c := range all {
		entries[i] = review.Entry{
			Path:   c.last.Path,
			Before: k.version(c.first, c.first.Before, c.first.BeforeMode, c.first.BeforeBytes, c.first.BeforeAt),
			After:  k.version(c.last, c.last.After, c.last.AfterMode, c.last.AfterBytes, c.last.AfterAt),
		}
	}
	p := risk.Project{Root: k.run.environment.Root, Path: k.run.environment.Path, GitConfigs: k.run.environment.GitConfigs}
	return p.Findings(entries)
}

// version is one side of a recorded change as a review has it. A content that is not
// kept counts as unknown.
func (k *risks) version(c session.Change, sha string, mode fs.FileMode, size, at int64) review.Version {
	v := review.Version{Exists: sha != "" || mode != 0 || size != 0, Mode: mode}
	if sha == "" || mode.Type() != 0 || size > maxJudged || !review.NeedsContent(c.Path) {
		return v
	}
	content, err := files.KeptContent(k.run.Blobs, c, sha, size, at)
	if err != nil {
		return v
	}
	r, err := content.Open()
	if err != nil {
		return v
	}
	defer r.Close()
	v.Content, err = io.ReadAll(io.LimitReader(r, maxJudged))
	v.Known = err == nil
	return v
}

// pathsIn are the words of a command's text that may be paths of the project, clean and
// without the folders that lead out of where the command begins.
func pathsIn(text, project string) (words []string) {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-/+@~%", r)
	}) {
		w = path.Clean(strings.TrimPrefix(w, project+"/"))
		for strings.HasPrefix(w, "../") {
			w = w[len("../"):]
		}
		if w != "." && w != ".." && !strings.HasPrefix(w, "/") {
			words = append(words, w)
		}
	}
	return words
}

// named reports whether a command may name a file: by its path, or by the end of it,
// because a command can go to another folder first.
func named(words []string, text, name string) bool {
	return strings.Contains(text, name) || slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix("/"+name, "/"+w) })
}
