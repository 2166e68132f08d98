package shell

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/tool/shell/confine"
	"belay/internal/tool/shell/quota"
)

// A command that takes too much of the disk is ended, says so, and changes nothing in
// the project. For root this is tried as an ordinary user, too, who cannot look into
// every folder.
func TestDisk(t *testing.T) {
	t.Parallel()
	const (
		written = "it had written more than 8 MiB (bash.max_write_bytes)"
		little  = "less than 1048576 TiB were left on the disk (bash.min_free_bytes)"
	)
	if os.Geteuid() == 0 {
		testAsNobody(t, "TestDisk")
	}
	limits := quota.Limits{WriteBytes: 8 << 20}
	for name, test := range map[string]struct {
		disk    quota.Limits
		command string
		want    string // "" is no end
	}{
		"a large file":      {limits, "head -c 64M /dev/urandom >large; sleep 60", written},
		"small files":       {limits, "for i in $(seq 1500); do printf %8000s x >$i; done; sleep 60", written},
		"goes on writing":   {limits, "while :; do head -c 1M /dev/urandom; sleep 0.01; done >large", written},
		"a file in HOME":    {limits, "head -c 64M /dev/urandom >$HOME/large; sleep 60", written},
		"files in TMPDIR":   {limits, "for i in $(seq 40); do head -c 1M /dev/urandom >$TMPDIR/$i; done; sleep 60", written},
		"a file in two":     {limits, "head -c 5M /dev/urandom >large; cp large $HOME; sleep 60", written},
		"a copied old file": {limits, "echo more >>old; sleep 60", written},
		"a closed folder":   {limits, "mkdir d; head -c 64M /dev/urandom >d/large; chmod 300 d; sleep 60", written},
		"a sparse file":     {limits, "truncate -s 1G sparse; sleep 1; rm sparse", ""},
		"a removed file":    {limits, "head -c 6M /dev/urandom >large; rm large; head -c 6M /dev/urandom >large; sleep 1; rm large", ""},
		"only reads":        {limits, "cat old $HOME/old | wc -c; sleep 1", ""},
		"little room":       {quota.Limits{FreeBytes: 1 << 60}, "head -c 128M /dev/urandom >large; sleep 60", little},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := tempDir(t)
			w, s := newPlace(t, base), newShell(t, base, Options{Disk: test.disk})
			old := strings.Repeat("0123456789abcdef", 20<<20/16)
			must(t, os.WriteFile(filepath.Join(w.Project, "old"), []byte(old), 0o644))
			must(t, os.MkdirAll(filepath.Join(w.Scratch, "home"), 0o700))
			must(t, os.WriteFile(filepath.Join(w.Scratch, "home", "old"), []byte(old), 0o644))
			r, err := callShell(t, s, w, input{Command: "echo said; " + test.command, TimeoutMS: 60_000})
			must(t, err)
			ended := test.want != ""
			if strings.Contains(r.Text, "nothing of what it changed") != ended || strings.Contains(r.Text, "ended after") != ended ||
				!strings.Contains(r.Text, test.want) || !strings.Contains(r.Text, "said\n") || r.Failed != ended {
				t.Errorf("failed %v: %.500s", r.Failed, r.Text)
			}
			for dir, want := range map[string]string{"": "old", ".belay/tmp": ""} {
				entries, err := os.ReadDir(filepath.Join(w.Project, dir))
				var got []string
				for _, e := range entries {
					if e.Name() != ".belay" {
						got = append(got, e.Name())
					}
				}
				if err != nil || strings.Join(got, " ") != want {
					t.Errorf("%q in the project holds %v, %v", dir, got, err)
				}
			}
			if got, err := os.ReadFile(filepath.Join(w.Project, "old")); err != nil || string(got) != old {
				t.Errorf("the old file was changed: %d bytes, %v", len(got), err)
			}
			if changes := w.Ledger.Take(); len(changes) > 0 {
				t.Errorf("changes are on record: %v", changes)
			}
		})
	}
}

// Where there is no overlay, the scratch folder and the room on the disk are watched
// all the same.
func TestDiskWithoutOverlay(t *testing.T) {
	t.Parallel()
	for limit, disk := range map[string]quota.Limits{
		"bash.max_write_bytes": {WriteBytes: 8 << 20}, "bash.min_free_bytes": {FreeBytes: 1 << 60},
	} {
		base := tempDir(t)
		w, s := newPlace(t, base), newShell(t, base, Options{Disk: disk, Without: confine.Means{Overlay: true}})
		r, err := callShell(t, s, w, input{Command: "echo x >new; head -c 128M /dev/urandom >$TMPDIR/large; sleep 60", Write: true})
		if err != nil || !r.Failed || !strings.Contains(r.Text, limit) || strings.Contains(r.Text, "nothing of what") {
			t.Errorf("%s: %q, %v", limit, r.Text, err)
		}
		// There is never so much room, so the command can end before it writes a word.
		if got, err := os.ReadFile(filepath.Join(w.Project, "new")); disk.FreeBytes == 0 && (err != nil || string(got) != "x\n") {
			t.Errorf("%s: the project holds %q, %v", limit, got, err)
		}
	}
}
