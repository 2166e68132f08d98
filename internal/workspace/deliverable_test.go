package workspace

import (
	"os"
	"path/filepath"
	"testing"

	"belay/internal/fault"
)

func TestFindDeliverable(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	project := filepath.Join(base, "project")
	inside := filepath.Join(project, "PKG-01_A", "1_Working", "DEL-01-01_B")
	for _, dir := range []string{inside, filepath.Join(project, "..x"), filepath.Join(base, "elsewhere")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(project, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := func(to, name string) string {
		path := filepath.Join(base, name)
		if err := os.Symlink(to, path); err != nil {
			t.Skip("links cannot be made here")
		}
		return path
	}
	link(filepath.Join(base, "elsewhere"), "project/out")
	link(inside, "project/in")
	other := link(project, "other")

	for _, c := range []struct {
		project, deliverable string
		want                 fault.Type
		rel                  string
	}{
		{project, inside, "", "PKG-01_A/1_Working/DEL-01-01_B"},
		{project + "/./", inside + "/", "", "PKG-01_A/1_Working/DEL-01-01_B"},
		{other, filepath.Join(other, "PKG-01_A/1_Working/DEL-01-01_B"), "", "PKG-01_A/1_Working/DEL-01-01_B"},
		{project, filepath.Join(project, "in"), "", "PKG-01_A/1_Working/DEL-01-01_B"},
		{project, filepath.Join(project, "..x"), "", "..x"},
		{project, project, "", "."},
		{"", inside, fault.InvalidProjectRoot, ""},
		{"project", inside, fault.InvalidProjectRoot, ""},
		{file, inside, fault.WorkingRootInaccessible, ""},
		{filepath.Join(base, "gone"), inside, fault.WorkingRootInaccessible, ""},
		{project, "", fault.InvalidProjectRoot, ""},
		{project, "PKG-01_A", fault.InvalidProjectRoot, ""},
		{project, inside + "\n", fault.InvalidProjectRoot, ""},
		{project, inside + "\x00", fault.InvalidProjectRoot, ""},
		{project, filepath.Join(base, "elsewhere"), fault.DeliverableOutside, ""},
		{project, project + "/../elsewhere", fault.DeliverableOutside, ""},
		{project, inside, "", "PKG-01_A/1_Working/DEL-01-01_B"},
		{project, filepath.Join(project, "gone"), fault.DeliverableNotFound, ""},
		{project, file, fault.DeliverableNotFound, ""},
		{project, filepath.Join(project, "out"), fault.DeliverableOutside, ""},
	} {
		d, err := FindDeliverable(c.project, c.deliverable)
		if c.want != "" {
			if !fault.Is(err, c.want) {
				t.Errorf("FindDeliverable(%q, %q): %v, want %s", c.project, c.deliverable, err, c.want)
			}
			continue
		}
		if err != nil || d.Rel != c.rel {
			t.Errorf("FindDeliverable(%q, %q) = %+v, %v; want %s", c.project, c.deliverable, d, err, c.rel)
			continue
		}
		root, err := d.Open()
		if err != nil {
			t.Errorf("open %+v: %v", d, err)
			continue
		}
		_ = root.Close()
	}

	// A folder that is exchanged for a link after it was checked is not followed.
	d, err := FindDeliverable(project, inside)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(inside); err != nil {
		t.Fatal(err)
	}
	link(filepath.Join(base, "elsewhere"), "project/PKG-01_A/1_Working/DEL-01-01_B")
	if _, err := d.Open(); !fault.Is(err, fault.DeliverableNotFound) {
		t.Errorf("a folder that became a link out of the project: %v", err)
	}
}

// A control character is a matter of the folder's name: no other way to write the path helps.
func TestControlCharacterHint(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	_, err := FindDeliverable(project, filepath.Join(project, "DEL-01-01_A\tB"))
	if e := fault.From(err); e == nil || e.Hint != "rename the folder without it" {
		t.Errorf("%+v", e)
	}
}
