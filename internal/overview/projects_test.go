package overview

import (
	"os"
	"path/filepath"
	"testing"
)

// A folder is one project with one name, by whichever path its sessions were made.
func TestAProjectBehindALinkIsOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	parent, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	real, link := filepath.Join(parent, "real"), filepath.Join(parent, "link")
	must(t, os.Mkdir(real, 0o755))
	must(t, os.Symlink(real, link))

	w.session(link, "by link")
	if all, err := w.Projects(t.Context()); err != nil || len(all) != 1 || all[0].Name != "link" {
		t.Errorf("before: %+v, %v", all, err)
	}
	w.session(real, "by path")
	w.ask("dec_1", w.session(link, "asks").SessionID, link)
	all, err := w.Projects(t.Context())
	if err != nil || len(all) != 1 || all[0].Path != real || all[0].Name != "real" || all[0].Sessions != 3 || all[0].OpenQuestions != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	if root, err := w.Root(ProjectID(link)); err != nil || root != real {
		t.Errorf("the id leads to %s, %v", root, err)
	}
	for _, project := range []string{"", real, link} {
		page, err := w.Sessions(t.Context(), Query{Project: project})
		if err != nil || page.Total != 3 {
			t.Errorf("%q: %+v, %v", project, page, err)
		}
		for _, s := range page.Sessions {
			if s.ProjectName != "real" || s.ProjectRoot != real || s.ProjectID != all[0].ID {
				t.Errorf("%q: the session is of %s, %s", project, s.ProjectName, s.ProjectRoot)
			}
		}
	}
	p, err := w.Add(t.Context(), link)
	if err != nil || p.Path != real {
		t.Errorf("added: %+v, %v", p, err)
	}
}

// A project that cannot be read is one with a problem in lists of all, and hides no other.
func TestAProjectThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	parent, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	good, bad := filepath.Join(parent, "good"), filepath.Join(parent, "bad")
	must(t, os.Mkdir(good, 0o755))
	must(t, os.Mkdir(bad, 0o755))
	w.session(good, "good")
	w.session(bad, "bad")
	sessions := filepath.Join(bad, ".belay/sessions")
	must(t, os.Rename(sessions, sessions+".away"))
	must(t, os.Symlink("sessions", sessions)) // root can read all but this
	all, err := w.Projects(t.Context())
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	for _, p := range all {
		if (p.Problem != "") != (p.Path == bad) || p.Path == good && p.Sessions != 1 {
			t.Errorf("%+v", p)
		}
	}
	page, err := w.Sessions(t.Context(), Query{})
	if err != nil || page.Total != 1 || len(page.LeftOut) != 1 || page.LeftOut[0].ProjectRoot != bad || page.LeftOut[0].Problem == "" {
		t.Errorf("%+v, %v", page, err)
	}
	if _, err := w.Sessions(t.Context(), Query{Project: bad}); err == nil {
		t.Error("its own list has no error")
	}
}
