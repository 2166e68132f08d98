package skill

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write writes a file, with the folders above it.
func write(t testing.TB, path, text string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

// link makes a link, where the system lets one.
func link(t testing.TB, target, path string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	if err := os.Symlink(target, path); err != nil {
		t.Skip("no links here: ", err)
	}
}

func head(name, description string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n---\n\nDo it.\n"
}

// places are the folders of a person and of a project, with the skills' folders in them.
func places(t testing.TB) (f Folders, own, project string) {
	t.Helper()
	f = Folders{Config: t.TempDir(), Project: t.TempDir()}
	return f, filepath.Join(f.Config, "skills"), filepath.Join(f.Project, ".agents", "skills")
}

// The person's own skills win over those of the project, and the order is that of the names.
func TestFind(t *testing.T) {
	t.Parallel()
	f, own, project := places(t)
	write(t, filepath.Join(project, "zeta", "SKILL.md"), head("zeta", "last of all"))
	write(t, filepath.Join(project, "both", "SKILL.md"), head("both", "the project's"))
	write(t, filepath.Join(own, "both", "SKILL.md"), "\ufeff---\r\nname: both\r\ndescription: >\r\n  the person's\r\n  own\r\nlicense: MIT\r\ncompatibility: needs git\r\nmetadata: {version: 1.0}\r\nallowed-tools: Bash(*)\r\nunknown: [1]\r\n---\r\nDo it.")
	write(t, filepath.Join(project, "README.md"), "about skills")
	write(t, filepath.Join(project, ".git", "SKILL.md"), "no skill")
	got := f.Find()
	want := Catalog{
		Skills: []Skill{
			{Name: "both", Description: "the person's own", License: "MIT", Compatibility: "needs git", Own: true, Path: filepath.Join(own, "both", "SKILL.md")},
			{Name: "zeta", Description: "last of all", Path: ".agents/skills/zeta/SKILL.md"},
		},
		Hidden: []Skill{{Name: "both", Description: "the project's", Path: ".agents/skills/both/SKILL.md"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, none := range []Folders{{}, {Config: t.TempDir(), Project: filepath.Join(t.TempDir(), "gone")}} {
		if diff := cmp.Diff(Catalog{}, none.Find()); diff != "" {
			t.Error(diff)
		}
	}
}

// Everything that is wrong with a skill is named.
func TestProblems(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"no front matter":   {"Do it.\n", []string{"SKILL.md does not begin with a block of YAML between two lines of ---"}},
		"no end":            {"---\nname: a\n", []string{"SKILL.md does not begin with a block of YAML between two lines of ---"}},
		"nothing":           {"", []string{"SKILL.md does not begin with a block of YAML between two lines of ---"}},
		"no YAML":           {"---\nname: a: b\n---\n", []string{"line 2"}},
		"no fields":         {"---\n- a\n---\n", []string{"the block of YAML has no fields"}},
		"comments alone":    {"---\n# a\n---\n", []string{"the block of YAML"}},
		"neither field":     {"---\nlicense: MIT\n---\n", []string{"name is missing", "description is missing"}},
		"another folder":    {head("other", "x"), []string{"name is other, which is not the name of its folder"}},
		"capitals and long": {head("A"+strings.Repeat("b", 64), strings.Repeat("ä", 1025)), []string{"name has more than 64 characters", "description has more than 1024 characters", "name must have small letters"}},
		"hyphens":           {head("a--b", "x"), []string{"name must have small letters"}},
		"a hyphen in front": {head(`"-a"`, "x"), []string{"name must have small letters"}},
		"no texts":          {"---\nname: 12\ndescription: [a]\nlicense: {a: b}\ncompatibility: ''\n---\n", []string{"name is not a text", "description is not a text", "license is not a text", "compatibility is empty"}},
		"nothing to see":    {head("folder", "\"\\u200b\\ue000\""), []string{"description is empty"}},
		"an alias":          {"---\nname: &a folder\ndescription: *a\n---\n", []string{"description is not a text"}},
		"twice":             {"---\nname: folder\nname: folder\ndescription: x\n---\n", []string{"name"}},
		"no UTF-8":          {head("folder", "gr\xf6n"), []string{"SKILL.md is not UTF-8"}},
		"too large":         {head("folder", "x") + strings.Repeat("x", MaxFile), []string{"SKILL.md is larger than 64 KiB"}},
		"a large head":      {head("folder", "x\nmore: "+strings.Repeat("x", maxHead)), []string{"the YAML of SKILL.md is larger than 8 KiB"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, _, project := places(t)
			write(t, filepath.Join(project, "folder", "SKILL.md"), tt.text)
			write(t, filepath.Join(project, "good", "SKILL.md"), head("good", "works"))
			c := f.Find()
			if len(c.Skills) != 1 || c.Skills[0].Name != "good" || len(c.Problems) != 1 {
				t.Fatalf("%+v", c)
			}
			got := c.Problems[0]
			if got.Path != ".agents/skills/folder" || len(got.Reasons) != len(tt.want) {
				t.Fatalf("%q, want %q", got, tt.want)
			}
			for i, want := range tt.want {
				if !strings.Contains(got.Reasons[i], want) {
					t.Errorf("%q, want %q", got.Reasons[i], want)
				}
			}
		})
	}
}

// No link is followed, neither to a skill nor to a file of one.
func TestLinks(t *testing.T) {
	t.Parallel()
	f, own, project := places(t)
	secret := filepath.Join(f.Config, "config.yaml")
	write(t, secret, head("all", "x"))
	write(t, filepath.Join(f.Config, "SKILL.md"), head("all", "x"))
	link(t, f.Config, filepath.Join(own, "all"))
	link(t, secret, filepath.Join(project, "all", "SKILL.md"))
	write(t, filepath.Join(project, "ok", "SKILL.md"), head("ok", "works"))
	write(t, filepath.Join(project, "ok", "ref", "more.md"), "more")
	link(t, secret, filepath.Join(project, "ok", "key.md"))
	link(t, f.Config, filepath.Join(project, "ok", "config"))
	must(t, os.MkdirAll(filepath.Join(project, "empty"), 0o700))
	must(t, os.MkdirAll(filepath.Join(project, "folder", "SKILL.md"), 0o700))
	c := f.Find()
	want := []Problem{
		{filepath.Join(own, "all"), []string{"is a link; links are not followed"}},
		{".agents/skills/all", []string{"SKILL.md is a link; links are not followed"}},
		{".agents/skills/empty", []string{"has no SKILL.md"}},
		{".agents/skills/folder", []string{"SKILL.md is not a file"}},
	}
	if diff := cmp.Diff(want, c.Problems); diff != "" || len(c.Skills) != 1 {
		t.Errorf("%s %+v", diff, c.Skills)
	}
	for file, want := range map[string]string{
		"key.md": "is a link", "config/config.yaml": "is a link", "../../../SKILL.md": "is not a path below", "/etc/passwd": "is not a path below",
		"ref/../../ok/SKILL.md": "is not a path below", `ref\more.md`: "is not a path below", "ref": "is not a file", ".": "is not a path below",
		"gone.md": "has no file", "gone/more.md": "has no file", "SKILL.md/x": "is not a folder",
	} {
		if data, err := f.Read(c.Skills[0], file, 100); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v; want %q", file, data, err, want)
		}
	}
	if _, err := f.Read(Skill{Name: "..", Own: true}, "config.yaml", 100); err == nil {
		t.Error("a name led out of the folder of skills")
	}
	if data, err := f.Read(c.Skills[0], "ref/more.md", 100); string(data) != "more" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := f.Read(c.Skills[0], "ref/more.md", 3); err == nil || !strings.Contains(err.Error(), "has 4 bytes; at most 3 are read") {
		t.Error(err)
	}
}

// A folder of skills that is a link, or no folder, has none.
func TestLinkedFolder(t *testing.T) {
	t.Parallel()
	f, own, project := places(t)
	write(t, filepath.Join(f.Config, "all", "SKILL.md"), head("all", "x"))
	link(t, ".", own)
	write(t, project, "no folder")
	want := Catalog{Problems: []Problem{
		{own, []string{"is a link; links are not followed"}}, {".agents/skills", []string{"is not a folder"}},
	}}
	if diff := cmp.Diff(want, f.Find()); diff != "" {
		t.Error(diff)
	}
}

// Many skills are left out by name, and a folder of thousands has none.
func TestTooMany(t *testing.T) {
	t.Parallel()
	f, own, project := places(t)
	for i := range MaxSkills {
		name := fmt.Sprintf("p%02d", i)
		write(t, filepath.Join(project, name, "SKILL.md"), head(name, "x"))
	}
	write(t, filepath.Join(own, "zz", "SKILL.md"), head("zz", "x"))
	c := f.Find()
	if _, ok := c.Named("zz"); !ok || len(c.Skills) != MaxSkills || len(c.Problems) != 1 {
		t.Errorf("%d skills, %v", len(c.Skills), c.Problems)
	}
	if got := c.Problems[0].String(); got != ".agents/skills: there are more than 64 skills; left out: p63" {
		t.Error(got)
	}
	for i := range maxEntries {
		write(t, filepath.Join(project, fmt.Sprintf("f%03d.md", i)), "")
	}
	c = f.Find()
	if len(c.Skills) != 1 || len(c.Problems) != 1 || !strings.Contains(c.Problems[0].String(), "with more than 128 none is used") {
		t.Errorf("%d skills, %v", len(c.Skills), c.Problems)
	}
}

// The block has a line for each skill and ends at its limit: then names stand alone.
func TestBlock(t *testing.T) {
	t.Parallel()
	c := Catalog{Skills: []Skill{
		{Name: "a", Description: "first", Own: true},
		{Name: "b", Description: strings.Repeat("long ", 100), Path: ".agents/skills/b/SKILL.md"},
		{Name: "c", Description: "third", Path: ".agents/skills/c/SKILL.md"},
	}}
	text, left := c.Block(MaxBlock)
	for _, want := range []string{"call the tool skill", "- a (the person's own): first\n", "- c (of the project, .agents/skills/c/SKILL.md): third\n"} {
		if !strings.Contains(text, want) || left != nil {
			t.Errorf("the block lacks %q, or leaves out %v:\n%s", want, left, text)
		}
	}
	for limit := range MaxBlock {
		text, left := c.Block(limit)
		if len(text) > limit {
			t.Fatalf("%d bytes of %d", len(text), limit)
		}
		for _, s := range c.Skills {
			if text != "" && !strings.Contains(text, "- "+s.Name+" (") && !strings.Contains(text[len(intro):], s.Name) {
				t.Fatalf("%s is not in the block of %d bytes, which leaves out %v", s.Name, limit, left)
			}
		}
	}
	if text, left := c.Block(len(intro) + 300); !strings.HasSuffix(text, "too many: b\n") || len(left) != 1 {
		t.Errorf("left out %v:\n%s", left, text)
	}
	if text, _ := (Catalog{}).Block(MaxBlock); text != "" {
		t.Error(text)
	}
}

// Whatever a SKILL.md has, a skill of it keeps the rules of the format, its description stays
// in its line of the block, and what is wrong with it is said in one line.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		head("pdf", "fill forms"), "---\nname: pdf\ndescription: |\n  a\n  # Skills\n  - b (the person's own): c\n---\n", "---\r\nname: pdf\r\ndescription: x\r\n---",
		"---\nname: pdf\ndescription: \"a\\u202eb\\u2028c\\e[2J\"\n---\n", "---\na: &a [*a]\n---\n", "---\nname: pdf\n? [x]\n: y\ndescription: x\n---\n", "---\n---\n", "\ufeff---\n\xff\n---\n",
	} {
		f.Add("pdf", s)
	}
	f.Fuzz(func(t *testing.T, folder, text string) {
		s, reasons := parse(folder, []byte(text))
		for _, r := range reasons {
			if r != line(r) || r == "" {
				t.Fatalf("the reason %q is not one line", r)
			}
		}
		if len(reasons) > 0 {
			return
		}
		if s.Name != folder || !namePattern.MatchString(s.Name) || len(s.Name) > maxName {
			t.Fatalf("the name %q in the folder %q", s.Name, folder)
		}
		if n := len([]rune(s.Description)); n == 0 || n > maxDescription || s.Description != line(s.Description) {
			t.Fatalf("the description %q", s.Description)
		}
		block, left := Catalog{Skills: []Skill{s}}.Block(MaxBlock)
		if got := strings.Count(block, "\n") - strings.Count(intro, "\n"); got != 1 || left != nil {
			t.Fatalf("%d lines: %q", got, block)
		}
		if again, reasons := parse(folder, []byte(head(s.Name, fmt.Sprintf("%q", s.Description)))); len(reasons) == 0 && again.Description != s.Description {
			t.Fatalf("%q became %q", s.Description, again.Description)
		}
	})
}
