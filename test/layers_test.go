package test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// module is the module's path; packages are named without it and "internal/".
const module = "belay"

// layers are the packages from the bottom up. A package may import packages of its own
// layer and of those below. Sub-packages belong to their package.
var layers = [][]string{
	{"blank", "crash", "event", "fault", "durable", "journal", "netguard", "peer", "redact", "attachment", "workspace", "persona", "skill", "config", "lazyregexp", "nearest", "openrouter", "processgroup", "schema", "plainjson", "quantity", "badyaml", "authored", "template", "telemetry", "examples"},
	{"session", "model", "permit", "bus"},
	{"render", "tool"},
	{"turn"},
	{"workflow", "client", "worker", "overview", "pipeline"},
	{"api", "chat", "discord", "page", "web"},
	{"app"},
	{"cli"},
	{"cmd"},
}

// outside stand beside the program: programs and tests about it, which nothing in
// it may import. A new directory must be put here or on a layer.
var outside = []string{"bench", "docs", "test"}

// surfaces are on one layer and must not know each other.
var surfaces = []string{"api", "chat", "discord", "page"}

// onlyFrom says who alone may import a package.
var onlyFrom = map[string]string{"app": "cli"}

// ignorant lists what packages must not import, by prefix of the import path.
var ignorant = map[string][]string{
	"attachment": append(fetching, plainFiles...),
	"workspace":  plainFiles,
	"persona":    plainFiles,
	"skill":      plainFiles,
}

// plainFiles is no business of packages that only know files: HTTP (netguard is
// HTTP), NATS, models.
var plainFiles = append([]string{"net/http", module + "/internal/netguard"}, noSurfaces...)

// fetching are packages below these that get files over the network all the
// same; noSurfaces is no business of theirs either.
var (
	fetching   = []string{module + "/internal/attachment/download", module + "/internal/attachment/gather"}
	noSurfaces = []string{"github.com/nats-io/", module + "/internal/model"}
)

// topLevel returns the top-level package of an import path of this module, and false for other
// paths.
func topLevel(path string) (string, bool) {
	rest, ok := strings.CutPrefix(path, module+"/")
	if !ok {
		return "", false
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(rest, "internal/"), "/")
	return name, true
}

func layerOf(name string) int {
	return slices.IndexFunc(layers, func(f []string) bool { return slices.Contains(f, name) })
}

// violations returns a sentence for each import in graph (package to imports)
// that the architecture forbids, sorted.
func violations(graph map[string][]string) []string {
	found := map[string]bool{}
	for pkg, imports := range graph {
		from, _ := topLevel(pkg)
		if layerOf(from) < 0 && !slices.Contains(outside, from) {
			found[fmt.Sprintf("%s is on no layer", from)] = true
			continue
		}
		for _, path := range imports {
			if why := forbidden(pkg, path); why != "" {
				found[fmt.Sprintf("%s imports %s: %s", pkg, path, why)] = true
			}
		}
	}
	var list []string
	for v := range found {
		list = append(list, v)
	}
	sort.Strings(list)
	return list
}

// forbidden says why a package must not import path, or nothing.
func forbidden(pkg, path string) string {
	from, _ := topLevel(pkg)
	unknown := ignorant[from]
	if slices.Contains(fetching, pkg) {
		unknown = noSurfaces
	}
	for _, prefix := range unknown {
		if path == prefix || strings.HasPrefix(path, strings.TrimSuffix(prefix, "/")+"/") {
			return from + " knows only files"
		}
	}
	to, ours := topLevel(path)
	if !ours || to == from {
		return ""
	}
	if only, ok := onlyFrom[to]; ok && from != only {
		return "only " + only + " may"
	}
	if slices.Contains(outside, from) {
		return ""
	}
	switch {
	case slices.Contains(outside, to):
		return to + " is outside the program"
	case layerOf(to) > layerOf(from):
		return "the arrow runs up"
	case slices.Contains(surfaces, from) && slices.Contains(surfaces, to):
		return "surfaces do not know each other"
	}
	return ""
}

// imports reads the module's import graph, tests left out, for one system.
func imports(t *testing.T, goos string) map[string][]string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "GOOS="+goos)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	graph := map[string][]string{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return graph
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		graph[p.ImportPath] = p.Imports
	}
}

// The layers of the architecture hold on every system that belay builds for.
func TestImportsPointDown(t *testing.T) {
	t.Parallel()
	for _, goos := range []string{"linux", "darwin", "windows"} {
		graph := imports(t, goos)
		if len(graph[module+"/cmd/belay"]) == 0 {
			t.Errorf("%s: the graph of %d packages lacks the program", goos, len(graph))
		}
		for _, v := range violations(graph) {
			t.Errorf("%s: %s", goos, v)
		}
	}
}

func TestWrongArrowsAreCaught(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pkg, path string
		want      string // empty: allowed
	}{
		"down":                   {"internal/turn", "belay/internal/session", ""},
		"within a layer":         {"internal/session", "belay/internal/bus", ""},
		"within a topLevel":      {"internal/model/anthropic", "belay/internal/model", ""},
		"a foreign module":       {"internal/bus", "github.com/nats-io/nats.go", ""},
		"page shows web":         {"internal/page", "belay/web", ""},
		"the program":            {"cmd/belay", "belay/internal/cli", ""},
		"cli builds the app":     {"internal/cli", "belay/internal/app", ""},
		"bench looks inside":     {"bench/load", "belay/internal/turn", ""},
		"up":                     {"internal/session", "belay/internal/turn", "the arrow runs up"},
		"up from a sub-package":  {"internal/model/anthropic", "belay/internal/tool/files", "the arrow runs up"},
		"turn to a surface":      {"internal/turn", "belay/internal/api", "the arrow runs up"},
		"between surfaces":       {"internal/discord", "belay/internal/api", "surfaces do not know each other"},
		"from the terminal":      {"internal/chat", "belay/internal/page", "surfaces do not know each other"},
		"past the cli":           {"cmd/belay", "belay/internal/app", "only cli may"},
		"app from outside":       {"bench", "belay/internal/app", "only cli may"},
		"into the bench":         {"internal/cli", "belay/bench/material", "bench is outside the program"},
		"HTTP in attachment":     {"internal/attachment", "net/http", "attachment knows only files"},
		"HTTP below attachment":  {"internal/attachment/pdf", "net/http/httptrace", "attachment knows only files"},
		"HTTP by netguard":       {"internal/workspace", "belay/internal/netguard", "workspace knows only files"},
		"NATS in persona":        {"internal/persona", "github.com/nats-io/nats.go", "persona knows only files"},
		"model in attachment":    {"internal/attachment", "belay/internal/model", "attachment knows only files"},
		"HTTP in a download":     {"internal/attachment/download", "belay/internal/netguard", ""},
		"downloads are gathered": {"internal/attachment/gather", "belay/internal/attachment/download", ""},
		"models in a download":   {"internal/attachment/download", "belay/internal/model", "attachment knows only files"},
		"fetching below":         {"internal/attachment", "belay/internal/attachment/gather", "attachment knows only files"},
		"not HTTP by its name":   {"internal/attachment", "net/httpish", ""},
	} {
		pkg := module + "/" + c.pkg
		var want []string
		if c.want != "" {
			want = []string{pkg + " imports " + c.path + ": " + c.want}
		}
		if diff := cmp.Diff(want, violations(map[string][]string{pkg: {c.path}})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	got := violations(map[string][]string{module + "/internal/utils/strings": nil})
	if diff := cmp.Diff([]string{"utils is on no layer"}, got); diff != "" {
		t.Errorf("an unknown topLevel (-want +got):\n%s", diff)
	}
}
