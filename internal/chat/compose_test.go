package chat

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// The editor is what the environment says, as a shell would read it.
func TestEditorCommand(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the command is a line of a shell")
	}
	for _, c := range []struct {
		env  []string
		want []string
	}{
		{[]string{"EDITOR=ed"}, []string{"ed"}},
		{[]string{"EDITOR=ed", "VISUAL=code --wait"}, []string{"code", "--wait"}},
		{[]string{"EDITOR=ed", "VISUAL= "}, []string{"ed"}},
		{[]string{`EDITOR="/a b/ed" -x $HOME`, "HOME=/h"}, []string{"/a b/ed", "-x", "/h"}},
		{[]string{`EDITOR=ed "open`}, nil},
		{[]string{"EDITOR=ed $(touch x)"}, nil},
		{[]string{"EDITOR=ed; rm x"}, nil},
	} {
		got, err := editorCommand(c.env)
		if !slices.Equal(got, c.want) || (err != nil) != (c.want == nil) {
			t.Errorf("%q: %q, %v", c.env, got, err)
		}
	}
}

// What the editor leaves is the text; a text that is too long is not lost.
func TestComposing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the editors are scripts")
	}
	editor := func(script string) *composing {
		path := filepath.Join(t.TempDir(), "ed")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
		return &composing{ctx: t.Context(), argv: []string{path}, env: os.Environ(), text: "draft"}
	}
	c := editor(`printf 'more\a\r\nlines\n\n' >>"$1"`)
	if err := c.Run(); err != nil || c.text != "draftmore\ufffd\nlines" {
		t.Errorf("%q, %v", c.text, err)
	}
	kept := editor(`head -c 1048577 /dev/zero | tr '\0' x >"$1"`)
	err := kept.Run()
	if err == nil {
		t.Fatal("a text of more than a message is taken")
	}
	_, at, _ := strings.Cut(err.Error(), "it is in ")
	at, _, _ = strings.Cut(at, ",")
	if info, serr := os.Stat(at); serr != nil || info.Size() != 1<<20+1 {
		t.Errorf("%v: the text is not there: %v", err, serr)
	}
	_ = os.RemoveAll(filepath.Dir(at))
	gone := editor(`rm "$1"`)
	if err := gone.Run(); err == nil {
		t.Error("a file that the editor removed is read")
	}
}
