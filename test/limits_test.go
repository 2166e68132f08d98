package test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Every list has a maximum, which the reference names, and refuses a limit above it and one of
// 0: nobody gets less than they asked for without a word.
func TestLists(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve()
	token, err := os.ReadFile(filepath.Join(p.state(), "operator.token"))
	must(t, err)
	authorization := []string{"Authorization", "Bearer " + strings.TrimSpace(string(token))}
	_, text := s.do("GET", "/openapi.json", "")
	var r struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name, Description string }
		}
	}
	must(t, json.Unmarshal([]byte(text), &r))
	lists := 0
	for _, path := range slices.Sorted(maps.Keys(r.Paths)) {
		for _, q := range r.Paths[path]["get"].Parameters {
			if q.Name != "limit" {
				continue
			}
			lists++
			most := regexp.MustCompile(`\b1 to (\d+)`).FindStringSubmatch(q.Description)
			if most == nil {
				t.Errorf("%s: the reference names no maximum: %s", path, q.Description)
				continue
			}
			above, err := strconv.Atoi(most[1])
			must(t, err)
			for limit, want := range map[int]int{0: 400, above: 200, above + 1: 400} {
				target := path + "?projectRoot=" + p.project + "&query=x&limit=" + strconv.Itoa(limit)
				if want == 400 {
					details := s.fails(400, "INVALID_REQUEST", "GET", target, "", authorization...)
					if details["field"] != "limit" {
						t.Errorf("%s: the details are %v", target, details)
					}
				} else if status, answer := s.do("GET", target, "", authorization...); status != want {
					t.Errorf("%s: %d %s", target, status, clip(answer))
				}
			}
		}
	}
	if lists < 9 {
		t.Errorf("the reference has %d lists", lists)
	}
}
