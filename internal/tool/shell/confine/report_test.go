package confine

import (
	"strings"
	"testing"
)

// Where the most important means are missing, as on macOS and Windows, every command is
// asked about, and the report says why.
func TestReportOfMeans(t *testing.T) {
	t.Parallel()
	const (
		atOnce   = "commands change the project at once, and nothing of that is put back"
		readOnly = "the project is read-only for a command that does not say that it changes it"
	)
	for name, test := range map[string]struct {
		found      Report
		unconfined bool
		readOnly   bool
		said       string // "" is neither of the two
	}{
		"macOS":                         {Report{System: "darwin"}, true, false, atOnce},
		"Windows":                       {Report{System: "windows"}, true, false, atOnce},
		"the filter alone":              {Report{System: "linux", Filter: true}, true, false, atOnce},
		"an old Landlock":               {Report{System: "linux", Landlock: 1, Filter: true}, true, false, atOnce},
		"Landlock without a filter":     {Report{System: "linux", Landlock: 7}, true, false, atOnce},
		"Landlock alone":                {Report{System: "linux", Landlock: 3, Filter: true}, false, true, readOnly},
		"namespaces without an overlay": {Report{System: "linux", Namespaces: true, Filter: true}, false, true, readOnly},
		"an overlay":                    {Report{System: "linux", Landlock: 7, Namespaces: true, Overlay: true, Filter: true}, false, true, ""},
	} {
		r := test.found
		r.Network = NetworkAsk
		r.judge()
		text := strings.Join(append(r.Held, r.Open...), "\n")
		if r.Unconfined != test.unconfined || r.ReadOnly != test.readOnly {
			t.Errorf("%s: unconfined %v, read-only %v", name, r.Unconfined, r.ReadOnly)
		}
		for _, said := range []string{atOnce, readOnly} {
			if strings.Contains(text, said) != (said == test.said) {
				t.Errorf("%s: the report says\n%s", name, text)
			}
		}
		if r.Open != nil && test.found.Namespaces && strings.Contains(text, "sockets without a path") {
			t.Errorf("%s: with a network of their own commands would reach\n%s", name, text)
		}
		if test.found.System != "linux" && r.Summary() != "commands are not confined" {
			t.Errorf("%s: %s", name, r.Summary())
		}
	}
}

// Sockets without a path belong to the network's namespace: where commands have that of the
// machine, Landlock must hold them.
func TestReportOfSocketsWithoutAPath(t *testing.T) {
	t.Parallel()
	for landlock, open := range map[int]bool{0: true, landlockScopes - 1: true, landlockScopes: false} {
		r := Report{System: "linux", Landlock: landlock, Namespaces: true, Overlay: true, Filter: true, Network: NetworkPorts}
		r.judge()
		if strings.Contains(strings.Join(r.Open, "\n"), "sockets without a path") != open {
			t.Errorf("Landlock %d: what is open is %q", landlock, r.Open)
		}
	}
}
