package confine

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHidden keeps what is hidden out of reach where it is in a folder that is
// granted, or the reverse.
//
// Covers: turn-api REQ-04
func TestHidden(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		sandbox string
		hidden  string // in the project's parent
		runs    bool
	}{
		"masked in the project":        {"all", "project/state", true},
		"not to be masked":             {"landlock", "project/state", false},
		"the project lies in it":       {"all", ".", false},
		"it is the project":            {"landlock", "project", false},
		"beside the project, and such": {"landlock", "state", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := room(t)
			hidden := filepath.Join(filepath.Dir(c.Project), test.hidden)
			if err := os.MkdirAll(hidden, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(hidden, "token"), []byte("secret"), 0o600); err != nil {
				t.Fatal(err)
			}
			o := sandboxes[test.sandbox]
			o.Hidden = []string{hidden, filepath.Join(hidden, "not there")}
			c.Text = "cat " + hidden + "/token; true"
			got, err := testRunner(o).Run(t.Context(), c)
			var setup *SetupError
			if errors.As(err, &setup) == test.runs || err != nil && setup == nil {
				t.Fatalf("%v", err)
			}
			if strings.Contains(string(got.Output.Head), "secret") {
				t.Error("it was read")
			}
		})
	}
}

// TestNoNetwork takes the network away by each means that can.
//
// Covers: turn-api REQ-04
func TestNoNetwork(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"all": "ls /sys/class/net 2>/dev/null; cat /proc/net/dev | grep -cv 'lo:\\|Inter\\|face'", "landlock": "echo x >/dev/udp/127.0.0.1/9 || echo 0"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := sandboxes[name]
			o.Network = NetworkNone
			r := testRunner(o)
			if rep, err := r.Report(t.Context()); err != nil || rep.Unconfined {
				t.Errorf("%+v %v", rep, err)
			}
			if _, out := run(t, r, room(t), text); !strings.HasSuffix(out, "0\n") {
				t.Errorf("said %q", out)
			}
		})
	}
}

func TestServerPorts(t *testing.T) {
	t.Parallel()
	o := Options{ConnectPorts: []uint16{80, 4000, 443}, ServerPorts: func() []uint16 { return []uint16{4000, 5000} }}
	if got := o.connectPorts(); len(got) != 2 || got[0] != 80 || got[1] != 443 || len(o.ConnectPorts) != 3 {
		t.Error(got)
	}
}

func TestPublicParts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{"open": 0o644, "shadow": 0o640, "keys/public": 0o644, "keys/private": 0o600, "all/a": 0o644} {
		p := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, nil, mode), os.Chmod(p, mode)); err != nil {
			t.Fatal(err)
		}
	}
	public, private := publicParts(dir)
	want := "all keys/public open | keys/private shadow"
	if got := strings.ReplaceAll(strings.Join(public, " ")+" | "+strings.Join(private, " "), dir+"/", ""); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
