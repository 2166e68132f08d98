package api

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"belay/internal/fault"
)

// params are a query's parameters, each given once at most, and what is wrong with them.
// They are asked for in the order of the reference: so one answer has every problem, and
// the same request always gets the same one.
type params struct {
	q        map[string]string
	problems fault.Problems
	// hint is the next step where the first problem has one of its own.
	hint string
}

// query reads the URL's parameters, each at most once.
func query(r *http.Request) (map[string]string, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "the query string is malformed").With("field", "query").
			WithHint("in values write %% as %%25 and ; as %%3B").Because(err)
	}
	var p params
	p.q = make(map[string]string, len(values))
	for name, all := range values {
		if p.q[name] = all[0]; len(all) == 1 {
			delete(values, name)
		}
	}
	twice := make([]string, 0, len(values))
	for name := range values {
		twice = append(twice, name)
	}
	slices.Sort(twice)
	for _, name := range twice {
		p.bad(fault.Clip(name), "is given more than once")
	}
	return p.q, p.err()
}

// queryField reads one required parameter.
func queryField(r *http.Request, name string) (string, error) {
	q, err := query(r)
	if err != nil {
		return "", err
	}
	p := params{q: q}
	return p.required(name), p.err()
}

func (p *params) bad(name, message string) { p.problems.Add(name, message) }

// badWith notes a problem that has a next step of its own.
func (p *params) badWith(hint, name, message string) {
	if p.problems.Len() == 0 {
		p.hint = hint
	}
	p.bad(name, message)
}

// err returns the problems as one INVALID_REQUEST, nil without any.
func (p *params) err() error {
	err := p.problems.Err()
	if err == nil {
		return nil
	}
	return fault.From(err).WithHint("%s", p.hint)
}

func (p *params) required(name string) string {
	s := wanted(name, p.q[name])
	if s == "" {
		p.bad(name, "is required")
	}
	return s
}

// natural reads a whole number from 0 on; without it, 0.
func (p *params) natural(name string) int {
	s := trim(p.q[name])
	if s == "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 0 {
		p.bad(name, "must be a whole number, 0 or above")
		return 0
	}
	return int(n)
}

// limit reads how many items an answer may have, 1 to most; without it, the usual number.
func (p *params) limit(usual, most int) int {
	const name = "limit"
	s := trim(p.q[name])
	if s == "" {
		return usual
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > most {
		p.bad(name, fmt.Sprintf("must be a whole number, 1 to %d", most))
		return usual
	}
	return n
}

// flag reads true or false; without it, false.
func (p *params) flag(name string) bool {
	s := trim(p.q[name])
	if s != "" && s != "false" && s != "true" {
		p.bad(name, "must be true or false")
	}
	return s == "true"
}

// word reads one of these words; without it, the first.
func (p *params) word(name string, words ...string) string {
	s := trim(p.q[name])
	switch {
	case s == "":
		return words[0]
	case !slices.Contains(words, s):
		p.bad(name, "must be "+strings.Join(words, " or "))
		return words[0]
	}
	return s
}
