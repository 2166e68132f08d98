package api

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"belay/internal/fault"
)

// access says who may call a route.
type access int

const (
	// member needs the access token, where one is configured.
	member access = iota
	// public needs nothing.
	public
	// operator needs the operator's authority.
	operator
)

// param is a query or header parameter of a route.
type param struct {
	in, name string
	required bool
	integer  bool
	doc      string
}

// route is one endpoint: what the router, the reference and the metrics need.
type route struct {
	method, path string
	// name is the operation id and the metrics' label.
	name    string
	summary string
	access  access
	params  []param
	// body and answer are zero values of the Go types on the wire; nil means
	// none. media is the answer's type where it is not JSON.
	body, answer any
	media        string
	// tagged is set where the answer has an entity tag, and a client that has it
	// already is told so.
	tagged bool
	errors []fault.Type
	serve  func(*Handler, *response, *http.Request) error

	segments []string
}

func (rt *route) label() string {
	if rt == nil {
		return "other"
	}
	return rt.name
}

func (rt *route) streams() bool { return rt.media == eventStream }

// router finds the route of a request. Paths are matched as they were sent: no
// cleaning, no redirects, and an escaped slash stays inside its segment.
type router struct {
	fixed    map[string][]*route
	variable []*route
}

func newRouter(table []route) *router {
	m := &router{fixed: map[string][]*route{}}
	for i := range table {
		rt := &table[i]
		if strings.Contains(rt.path, "{") {
			rt.segments = strings.Split(rt.path, "/")
			m.variable = append(m.variable, rt)
		} else {
			m.fixed[rt.path] = append(m.fixed[rt.path], rt)
		}
	}
	return m
}

// find returns the request's route, or NOT_FOUND, or METHOD_NOT_ALLOWED. A path
// without variables wins over one with.
func (m *router) find(r *http.Request) (*route, error) {
	candidates := m.fixed[r.URL.Path]
	var values []string
	if candidates == nil {
		candidates, values = m.match(strings.Split(r.URL.EscapedPath(), "/"))
	}
	if len(candidates) == 0 {
		return nil, fault.New(fault.NotFound, "no such endpoint: %s", r.URL.Path)
	}
	for _, rt := range candidates {
		if rt.method == r.Method || r.Method == http.MethodHead && rt.method == http.MethodGet && !rt.streams() {
			for i := 0; i < len(values); i += 2 {
				r.SetPathValue(values[i], values[i+1])
			}
			return rt, nil
		}
	}
	return candidates[0], notAllowed(r, allowed(candidates))
}

// notAllowed names the methods that the path has; fail puts them in Allow.
func notAllowed(r *http.Request, allow string) error {
	return fault.New(fault.MethodNotAllowed, "%s is not allowed on %s; use %s", r.Method, r.URL.Path, allow).With("allow", allow)
}

// match returns the routes of one path with variables, and the variables' names
// and values in turn.
func (m *router) match(path []string) (found []*route, values []string) {
	for _, rt := range m.variable {
		if got, ok := rt.capture(path); ok {
			found, values = append(found, rt), got
		}
	}
	return found, values
}

func (rt *route) capture(path []string) ([]string, bool) {
	if len(path) != len(rt.segments) {
		return nil, false
	}
	var values []string
	for i, want := range rt.segments {
		name, isVariable := strings.CutPrefix(want, "{")
		if !isVariable {
			if path[i] != want {
				return nil, false
			}
			continue
		}
		value, err := url.PathUnescape(path[i])
		if err != nil || value == "" {
			return nil, false
		}
		values = append(values, strings.TrimSuffix(name, "}"), value)
	}
	return values, true
}

func allowed(candidates []*route) string {
	var methods []string
	for _, rt := range candidates {
		methods = append(methods, rt.method)
		if rt.method == http.MethodGet && !rt.streams() {
			methods = append(methods, http.MethodHead)
		}
	}
	slices.Sort(methods)
	return strings.Join(slices.Compact(methods), ", ")
}
