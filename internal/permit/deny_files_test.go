package permit

import "testing"

// A denial of write or read is about files, whichever tool changes or shows them.
func TestDenialsOfFiles(t *testing.T) {
	t.Parallel()
	call := func(tool string, kind Kind, paths ...string) Effect {
		return Effect{Tool: tool, Kind: kind, Paths: paths}
	}
	linked := call("edit", Write, "real/a")
	linked.Touched = []string{"link/a"}
	below := bash(t, "cat k")
	below.Dir = "secrets"
	changed := bash(t, "cp b docs/c")
	changed.Deferred, changed.Done, changed.Paths = true, &Done{Files: 1}, []string{"docs/c"}
	whole := changed
	whole.Paths, whole.Whole = []string{"out"}, []string{"out"}
	absolute, elsewhere := bash(t, "cat /p/q/.env"), bash(t, "cat /p/qq/.env")
	absolute.Project, elsewhere.Project = "/p/q", "/p/q"
	folder := func(path string) Effect { return Effect{Tool: "list", Kind: Read, Paths: []string{path}, Folder: true} }
	for _, c := range []struct {
		rule string
		e    Effect
		want fit
	}{
		{"write(docs/**)", call("edit", Write, "docs/a"), certain},
		{"write(docs/**)", call("project.scaffold", Write, "x", "DOCS/a"), certain},
		{"write", call("edit", Write, "a"), certain},
		{"write(docs/**)", call("read", Read, "docs/a"), none},
		{"write(docs/)", call("edit", Write, "docs/a/b"), certain},
		{"write(docs/)", call("edit", Write, "docs2/a"), none},
		{"write(/docs/**)", call("edit", Write, "docs/a"), certain},
		{"write(/home/x/**)", call("write", Write, "/home/x/y"), certain},
		{"write(link/**)", linked, certain},
		{"edit(docs/**)", call("write", Write, "docs/a"), none},
		{"write(docs/**)", changed, certain},
		{"write(docs/*.md)", changed, none},
		{"write(**/.env)", whole, possible},

		{"read(secrets/**)", call("grep", Read, "secrets/k"), certain},
		{"read(secrets/**)", call("attachment.add", Publish, "a", "secrets/k"), certain},
		{"read(secrets/**)", call("edit", Write, "secrets/k"), none}, // the tool does not find it
		{"read", call("grep", Read, "secrets/k"), none},
		{"read(secrets/**)", bash(t, "cat secrets/k"), possible},
		{"read(secrets/**)", bash(t, "cd secrets && cat k"), possible},
		{"read(secrets/**)", bash(t, `cp x "secrets/a b"`), possible},
		{"read(secrets/**)", below, possible},
		{"read(secrets/**)", bash(t, "grep -r key ."), none},
		{"read", bash(t, "cat secrets/k"), none},
		{"read(**/.*)", bash(t, "ls ."), none},
		{"read(**/.*)", bash(t, "ls .. ../x"), none},
		{"read(**/.*)", bash(t, "go env ./..."), none},
		{"read(**/.*)", bash(t, "cat a/.env"), possible},
		{"read(*)", bash(t, "ls docs/"), none},
		{"read(secrets/**)", bash(t, "go vet ./secrets/..."), possible},
		{"read(**)", bash(t, "ls ."), possible},
		{"read(.env)", absolute, possible},
		{"read(.env)", elsewhere, none},
		{"read(**/.*)", folder("."), none},
		{"read(*)", folder("docs"), none},
		{"read(docs)", folder("docs"), none},
		{"read(docs/**/*)", folder("docs/a"), certain},
		{"read(docs/)", folder("docs"), certain},
		{"read(*/**)", folder("."), none},
		{"read(**)", folder("."), certain},
		{"list(docs)", folder("docs"), certain},
	} {
		if got := rules(t, c.rule)[0].denies(c.e); got != c.want {
			t.Errorf("%s, %s of %q: %d, want %d", c.rule, c.e.Tool, c.e.Paths, got, c.want)
		}
	}
	p := Policy{Denied: rules(t, "read", "grep(a)", "read(secrets/**)", "read(/top)")}
	for path, want := range map[string]string{"a": "", "secrets": "read(secrets/**)", "Secrets/k": "read(secrets/**)", "top": "read(/top)"} {
		if got := p.Unreadable(path, path == "secrets"); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// A hook is asked about what a command really changed, not only about what its text says.
func TestHooksConcernChanges(t *testing.T) {
	t.Parallel()
	e := bash(t, "cp b docs/c")
	hook := Hook{Calls: rules(t, "write(docs/**)")}
	if hook.concerns(e) {
		t.Error("asked before it ran, of a file that the text names nowhere as written")
	}
	if e.Done, e.Paths = (&Done{Files: 1}), []string{"docs/c"}; !hook.concerns(e) {
		t.Error("not asked about the file that it changed")
	}
}
