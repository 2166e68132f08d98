package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"belay/internal/durable"
	"belay/internal/journal"
	"belay/internal/permit"
	"belay/internal/permit/review"
	"belay/internal/tool/files"
	"belay/internal/workspace/repository"
)

// Limits of what is said of a repository.
const (
	maxGitLines = 40
	maxGitRefs  = 2000 // that are compared
	maxGitFile  = 32 << 20
	gitTime     = 2 * time.Second
)

// gitChange is what a command did to one repository. It reads objects itself and runs no
// program: the repository may come from anybody, and so may what the command put there.
type gitChange struct {
	ctx     context.Context //nolint:containedctx // of one look
	root    *os.Root
	repo    string
	changes map[string]*journal.Change // by the path in the repository
	// made is the folder in the project with what the command made of files.
	made    string
	objects *repository.Objects
	lines   []string
}

// describeGit says what changes do to repositories. Made is the folder with what the
// command made of files, relative to the project.
func describeGit(ctx context.Context, root *os.Root, made string, changes []journal.Change) (all []permit.Repository) {
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	repos := map[string]*gitChange{}
	var order []*gitChange
	for i := range changes {
		repo, rest, in := insideGit(string(changes[i].Path))
		if !in {
			continue
		}
		g := repos[repo]
		if g == nil {
			g = &gitChange{ctx: ctx, root: root, repo: repo, made: made, changes: map[string]*journal.Change{}}
			repos[repo] = g
			order = append(order, g)
		}
		if old := g.changes[rest]; old == nil || old.After.Type == journal.None { // what replaces counts
			g.changes[rest] = &changes[i]
		}
	}
	for _, g := range order {
		all = append(all, permit.Repository{Path: g.repo, Does: g.describe()})
	}
	return all
}

// describe returns sentences, never none.
func (g *gitChange) describe() []string {
	head, isHead := g.changes["HEAD"]
	switch {
	case g.changes[""] != nil && g.changes[""].After.Type != journal.Folder && g.changes[""].After.Type != journal.None:
		return []string{"another repository takes its place: " + nameGit + " is a file or a link now"}
	case isHead && head.After.Type == journal.None:
		return []string{"it is removed, with its history"}
	case isHead && head.Before.Type == journal.None:
		g.say("a new repository")
	}
	refs := g.refs()
	closeStores := g.openObjects(refs)
	defer closeStores()
	g.sayHead()
	for _, r := range refs {
		g.sayRef(r)
	}
	g.sayIndex()
	g.sayState()
	if len(g.lines) == 0 {
		g.say("%d files of its own, and no branch, tag or staged file", len(g.changes))
	}
	if more := len(g.lines) - maxGitLines; more > 0 {
		g.lines = append(g.lines[:maxGitLines], fmt.Sprintf("and %d more changes", more))
	}
	return g.lines
}

func (g *gitChange) say(format string, args ...any) {
	g.lines = append(g.lines, fmt.Sprintf(format, args...))
}

// before is a file of the repository as the project has it, "" for none.
func (g *gitChange) before(rest string) string {
	if c := g.changes[rest]; c != nil && c.Before.Type != journal.File {
		return ""
	}
	data, _, err := durable.ReadFile(g.root, path.Join(g.repo, rest), maxGitFile)
	if err != nil {
		return ""
	}
	return string(data)
}

// after is a file of the repository as the command left it, "" for none.
func (g *gitChange) after(rest string) string {
	c := g.changes[rest]
	switch {
	case c == nil, c.Op == journal.Mode:
		return g.before(rest)
	case c.After.Type != journal.File || c.Content == nil:
		return ""
	}
	f, err := c.Content()
	if err != nil {
		return ""
	}
	return limited(f)
}

// limited reads a file and closes it; one that is too large counts as none.
func limited(f io.ReadCloser) string {
	data, err := io.ReadAll(io.LimitReader(f, maxGitFile+1))
	if err = errors.Join(err, f.Close()); err != nil || len(data) > maxGitFile {
		return ""
	}
	return string(data)
}

// gitRef is a name that leads elsewhere now; an id is "" where there is none.
type gitRef struct{ name, was, is string }

// refs are the branches, tags and other names that change, by their names.
func (g *gitChange) refs() (all []gitRef) {
	packedWas := packedRefs(g.before("packed-refs"))
	packedIs := packedWas
	names := map[string]bool{}
	if g.changes["packed-refs"] != nil {
		packedIs = packedRefs(g.after("packed-refs"))
		for name, id := range packedWas {
			names[name] = names[name] || packedIs[name] != id
		}
		for name, id := range packedIs {
			names[name] = names[name] || packedWas[name] != id
		}
	}
	for rest, c := range g.changes {
		if strings.HasPrefix(rest, "refs/") && c.Before.Type != journal.Folder && c.After.Type != journal.Folder {
			names[rest] = true
		}
	}
	for name, changed := range names {
		if !changed || len(all) == maxGitRefs {
			continue
		}
		r := gitRef{name, refID(g.before(name), packedWas[name]), refID(g.after(name), packedIs[name])}
		if r.was != r.is {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b gitRef) int { return strings.Compare(a.name, b.name) })
	return all
}

// refID is the id that a file of a ref holds, or else the packed one.
func refID(file, packed string) string {
	if id := strings.TrimSpace(file); isID(id) {
		return id
	}
	return packed
}

func isID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

func packedRefs(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(text) {
		if id, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok && isID(id) {
			all[name] = id
		}
	}
	return all
}

// openObjects opens the folders of objects: what the command made, and the project's.
func (g *gitChange) openObjects(refs []gitRef) (closeStores func()) {
	digits := 40
	for _, r := range refs {
		digits = max(digits, len(r.was), len(r.is))
	}
	digits = max(digits, len(g.headID(g.before)), len(g.headID(g.after)))
	var stores []*os.Root
	for _, dir := range []string{path.Join(g.made, g.repo), g.repo} {
		if store, err := g.root.OpenRoot(path.Join(dir, "objects")); err == nil {
			stores = append(stores, store)
		}
	}
	g.objects = repository.NewObjects(digits, stores...)
	return func() {
		for _, s := range stores {
			_ = s.Close() // it was only read
		}
	}
}

// headID is the commit that HEAD leads to, "" for none.
func (g *gitChange) headID(read func(rest string) string) string {
	text := strings.TrimSpace(read("HEAD"))
	name, symbolic := strings.CutPrefix(text, "ref: ")
	if !symbolic {
		return refID(text, "")
	}
	return refID(read(name), packedRefs(read("packed-refs"))[name])
}

// sayHead says where HEAD leads now.
func (g *gitChange) sayHead() {
	if g.changes["HEAD"] == nil {
		return
	}
	where := func(text string) string {
		text = strings.TrimSpace(text)
		if name, ok := strings.CutPrefix(text, "ref: refs/heads/"); ok {
			return "branch " + files.Printable(name)
		}
		if isID(text) {
			return "commit " + text[:12] + " and no branch"
		}
		return "what git cannot read"
	}
	was, is := where(g.before("HEAD")), where(g.after("HEAD"))
	switch {
	case g.changes["HEAD"].Before.Type == journal.None:
	case was != is:
		g.say("the work tree is on %s now, and was on %s", is, was)
	}
}

// kindOf splits the name of a ref into what it is and how people call it.
func kindOf(name string) (kind, short string) {
	for prefix, kind := range map[string]string{"refs/heads/": "branch", "refs/tags/": "tag", "refs/remotes/": "remote branch"} {
		if short, ok := strings.CutPrefix(name, prefix); ok {
			return kind, files.Printable(short)
		}
	}
	return "", files.Printable(name)
}

// sayRef says what became of a branch, a tag or another name.
func (g *gitChange) sayRef(r gitRef) {
	kind, short := kindOf(r.name)
	full := strings.TrimSpace(kind + " " + short)
	switch {
	case r.name == "refs/stash":
		g.sayStash()
		return
	case r.is == "":
		g.say("%s is deleted", full)
		return
	case kind == "tag" || kind == "":
		verb := "moves"
		if r.was == "" {
			verb = "is new"
		}
		g.say("%s %s", full, verb)
		return
	}
	old, base := []string{r.was}, r.was
	if r.was == "" {
		base = g.headID(g.before)
		if old = nil; base != "" {
			old = []string{base}
		}
	}
	ahead, behind, err := g.objects.Between(g.ctx, old, r.is)
	var names []string
	if err == nil {
		names, err = g.objects.Files(g.ctx, base, r.is)
	}
	switch {
	case err != nil && r.was == "":
		g.say("%s is new, at %s", full, r.is[:12])
	case err != nil:
		g.say("%s moves from %s to %s", full, r.was[:12], r.is[:12])
	case r.was == "" && ahead == 0:
		g.say("%s is new", full)
	case r.was == "":
		g.say("%s is new: %s, %s", full, many(ahead, "commit"), many(len(names), "file"))
	case behind == 0:
		g.say("%s on %s, %s", many(ahead, "commit"), short, many(len(names), "file"))
	case ahead == 0:
		g.say("%s goes back by %s, %s", full, many(behind, "commit"), many(len(names), "file"))
	default:
		g.say("%s is rewritten: %s in the place of %d, %s", full, many(ahead, "commit"), behind, many(len(names), "file"))
	}
	if err == nil && ahead > 0 {
		g.sayCommits(ahead, r.is, names)
	}
}

// Limits of what is said of new commits.
const (
	maxSubject = 100 // bytes
	maxNames   = 10
)

// sayCommits says what the last of new commits is called, and which files they change: a
// commit may have what the work tree has not.
func (g *gitChange) sayCommits(commits int, last string, names []string) {
	subject, err := g.objects.Subject(g.ctx, last)
	if err != nil {
		return // it was read before, and counted
	}
	what := "its message"
	if commits > 1 {
		what = "the last message"
	}
	said := fmt.Sprintf("%s is %q", what, cut(strings.ToValidUTF8(subject, "\uFFFD"), maxSubject))
	if len(names) > 0 {
		shown := make([]string, 0, maxNames+1)
		for _, name := range names[:min(len(names), maxNames)] {
			shown = append(shown, files.Printable(name))
		}
		said += "; it changes " + strings.Join(shown, ", ")
		if commits > 1 {
			said = strings.Replace(said, "; it changes ", "; they change ", 1)
		}
		if more := len(names) - maxNames; more > 0 {
			said += fmt.Sprintf(" and %d more", more)
		}
	}
	g.say("%s", said)
}

func many(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// sayStash counts the entries of the stash, which its log has.
func (g *gitChange) sayStash() {
	const log = "logs/refs/stash"
	was, is := strings.Count(g.before(log), "\n"), strings.Count(g.after(log), "\n")
	switch {
	case is > was:
		g.say("%s stashed", many(is-was, "change"))
	case is < was:
		g.say("%s of the stash dropped", many(was-is, "change"))
	default:
		g.say("the stash changes")
	}
}

// sayIndex says how many files are staged that were not, and the other way round. What
// is in a commit is not staged.
func (g *gitChange) sayIndex() {
	if g.changes["index"] == nil {
		return
	}
	was, okWas := staged(g.before("index"))
	is, okIs := staged(g.after("index"))
	if !okWas || !okIs || len(g.headID(g.after)) == 64 { // entries have another form there
		g.say("what is staged changes")
		return
	}
	head := g.headID(g.after)
	added, removed := 0, 0
	inHead := func(name string) (string, error) {
		if head == "" {
			return "", nil
		}
		mode, id, err := g.objects.Entry(g.ctx, head, name)
		if mode == "" {
			return "", err
		}
		return mode + " " + id, err
	}
	differs := func(name string, now string) bool {
		committed, err := inHead(name)
		return err != nil || committed != now
	}
	count := func(name string) {
		switch wasStaged, isStaged := differs(name, was[name]), differs(name, is[name]); {
		case isStaged:
			added++
		case wasStaged && g.changes["HEAD"] == nil && head == g.headID(g.before):
			removed++
		}
	}
	for name, e := range is {
		if was[name] != e {
			count(name)
		}
	}
	for name := range was {
		if _, there := is[name]; !there {
			count(name)
		}
	}
	if added > 0 {
		g.say("%s staged", many(added, "file"))
	}
	if removed > 0 {
		g.say("%s not staged any more", many(removed, "file"))
	}
}

// staged are the entries of an index, as a tree has them.
func staged(index string) (map[string]string, bool) {
	all := map[string]string{}
	if index == "" {
		return all, true
	}
	entries, ok := indexEntries([]byte(index))
	for _, e := range entries {
		mode := uint32(e[0])<<24 | uint32(e[1])<<16 | uint32(e[2])<<8 | uint32(e[3])
		all[string(e[entryNamed:])] = fmt.Sprintf("%o %x", mode, e[4:24])
	}
	return all, ok
}

// gitStates are the files by which git remembers what it was about to do.
var gitStates = []struct{ file, what string }{
	{"MERGE_HEAD", "a merge"}, {"CHERRY_PICK_HEAD", "a cherry-pick"}, {"REVERT_HEAD", "a revert"}, {"BISECT_LOG", "a bisect"},
	{"rebase-merge/head-name", "a rebase"}, {"rebase-apply/head-name", "a rebase"},
}

// sayState says what git is in the middle of.
func (g *gitChange) sayState() {
	for _, s := range gitStates {
		switch c := g.changes[s.file]; {
		case c == nil:
		case c.Before.Type == journal.None:
			g.say("%s waits to be finished", s.what)
		case c.After.Type == journal.None:
			g.say("%s has ended", s.what)
		}
	}
	for rest := range g.changes {
		if first, _, below := strings.Cut(rest, "/"); below && (first == "modules" || first == "worktrees") {
			g.say("submodules or other work trees change")
			return
		}
	}
}

// gitTexts are those changes of repositories that people read: settings, hooks, and a
// .git that is no folder. Of a repository that is made the settings that git itself writes
// are left out.
func gitTexts(changes []journal.Change) map[*journal.Change]bool {
	fresh := map[string]bool{}
	for i := range changes {
		if repo, rest, in := insideGit(string(changes[i].Path)); in && rest == "HEAD" && changes[i].Before.Type == journal.None {
			fresh[repo] = true
		}
	}
	texts := map[*journal.Change]bool{}
	for i := range changes {
		c := &changes[i]
		repo, rest, in := insideGit(string(c.Path))
		isFolder := c.Before.Type == journal.Folder || c.After.Type == journal.Folder
		if !in || isFolder || rest != "" && !gitSetting(rest) && (!strings.HasPrefix(rest, "info/") || rest == "info/refs") {
			continue
		}
		if fresh[repo] && (strings.HasPrefix(rest, "info/") || gitConfig(rest) && isPlain(c)) {
			continue
		}
		texts[c] = true
	}
	return texts
}

// isPlain reports whether a configuration becomes one that names no program.
func isPlain(c *journal.Change) bool {
	if c.After.Type != journal.File || c.Content == nil || c.After.Size > maxGitConfig {
		return false
	}
	text, err := readAll(c.Content)
	return err == nil && review.PlainGitConfig(string(text))
}
