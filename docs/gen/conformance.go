package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// conformance lists, for every requirement, the tests that prove it. A
// requirement that is due and has none is an error, and so is a test that claims
// to cover a requirement that does not exist.
func conformance(root string) ([]byte, error) {
	covered, err := claims(root)
	if err != nil {
		return nil, err
	}
	d := newDoc("Conformance", `Which tests prove which requirement of the specifications. A test names what it covers in a comment line above it,
`+"`// Covers: turn-api REQ-11`"+`; this page is made from those lines, and the build fails when a requirement has no test.`)
	var errs []error
	for _, s := range specs {
		d.heading(s.title)
		d.table("requirement", "asks for", "tests")
		for _, r := range s.requirements {
			key := s.name + " " + r.id
			tests := covered[key]
			delete(covered, key)
			proof := codes(tests)
			switch {
			case len(tests) > 0:
			case r.later:
				proof = "later"
			default:
				errs = append(errs, fmt.Errorf("%s has no test; put \"// Covers: %s\" above one", key, key))
			}
			d.row(r.id, r.asks, proof)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(covered)) {
		errs = append(errs, fmt.Errorf("%s covers %s, which is no requirement", strings.Join(covered[key], ", "), key))
	}
	return d.Bytes(), errors.Join(errs...)
}

var (
	claimLine = regexp.MustCompile(`^(?://|#) Covers: (.+)$`)
	testLine  = regexp.MustCompile(`^func ((?:Test|Fuzz|Benchmark|Example)\w*)\(`)
)

// claims maps each covered requirement to the tests that claim it, sorted.
func claims(root string) (map[string][]string, error) {
	covered := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && path != root && (strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !e.Type().IsRegular() || !strings.HasSuffix(path, "_test.go") && filepath.Ext(path) != ".txtar" {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		return claimsIn(filepath.ToSlash(rel), path, covered)
	})
	for _, tests := range covered {
		slices.Sort(tests)
	}
	return covered, err
}

// claimsIn adds the claims of one file. In Go the claim belongs to the test
// function below it, in a script to the whole file.
func claimsIn(rel, path string, covered map[string][]string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // it was only read
	var pending []string
	add := func(test string) {
		for _, key := range pending {
			if !slices.Contains(covered[key], test) {
				covered[key] = append(covered[key], test)
			}
		}
		pending = nil
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		l := lines.Text()
		if m := claimLine.FindStringSubmatch(l); m != nil {
			pending = append(pending, requirementsIn(m[1])...)
			if strings.HasPrefix(l, "#") {
				add(rel)
			}
			continue
		}
		if m := testLine.FindStringSubmatch(l); m != nil {
			add(filepath.ToSlash(filepath.Dir(rel)) + " " + m[1])
		} else if len(pending) > 0 && !strings.HasPrefix(l, "//") {
			return fmt.Errorf("%s: the claim to cover %s is above no test", rel, strings.Join(pending, ", "))
		}
	}
	return lines.Err()
}

// requirementsIn reads "turn-api REQ-01, REQ-02; workspace 9.7": a specification's
// name holds until the next one.
func requirementsIn(claim string) []string {
	var keys []string
	spec := ""
	for part := range strings.FieldsFuncSeq(claim, func(r rune) bool { return r == ',' || r == ';' }) {
		name, id, both := strings.Cut(strings.TrimSpace(part), " ")
		if both {
			spec = name
		} else {
			id = name
		}
		keys = append(keys, strings.TrimSpace(spec+" "+strings.TrimSpace(id)))
	}
	return keys
}
