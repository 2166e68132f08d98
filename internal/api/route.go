package api

import (
	"net/http"
	"path"
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
	// media is the answer's type where it is not JSON.
	media string
	// tagged is set where the answer has an entity tag, and a client that has it
	// already gets 304.
	tagged bool
	// wide is set where the body may be a whole register.
	wide bool
	// ranged is set where a client may ask for a part of the answer.
	ranged bool
	errors []fault.Type
	action
}

func (rt *route) label() string {
	if rt == nil {
		return "other"
	}
	return rt.name
}

func (rt *route) streams() bool { return rt.media == eventStream }

// endpoint are the routes of one path.
type endpoint struct {
	h      *Handler
	routes []*route
}

// newMux serves every path of the table. Its own answers are never seen: every path
// has an endpoint, which serves every method, and the handler refuses paths that the
// mux would clean.
func newMux(h *Handler, table []route) *http.ServeMux {
	byPath := map[string][]*route{"/": nil}
	for i := range table {
		byPath[table[i].path] = append(byPath[table[i].path], &table[i])
	}
	mux := http.NewServeMux()
	for path, routes := range byPath {
		mux.Handle(path, endpoint{h, routes})
	}
	return mux
}

// clean reports whether a path has no empty or relative part.
func clean(escaped string) bool {
	cleaned := path.Clean(escaped)
	return strings.HasPrefix(escaped, "/") && (escaped == cleaned || escaped == cleaned+"/")
}

// ServeHTTP implements http.Handler for a request that the guard let through.
func (e endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	res := w.(*response)
	var err error
	if res.route, err = e.find(r); err == nil {
		err = e.h.serve(res, r)
	} else if res.route == nil && e.h.o.Page != nil && e.h.o.Page.Has(r.URL.Path) {
		err = e.h.servePage(res, r)
	}
	if err != nil {
		e.h.fail(res, r, err)
	}
}

// find returns the route of a request's method, or NOT_FOUND, or METHOD_NOT_ALLOWED
// with one of the path's routes.
func (e endpoint) find(r *http.Request) (*route, error) {
	if len(e.routes) == 0 {
		return nil, noEndpoint(r)
	}
	var methods []string
	for _, rt := range e.routes {
		serves := []string{rt.method}
		if rt.method == http.MethodGet && !rt.streams() {
			serves = append(serves, http.MethodHead)
		}
		if slices.Contains(serves, r.Method) {
			return rt, nil
		}
		methods = append(methods, serves...)
	}
	slices.Sort(methods)
	return e.routes[0], notAllowed(r, strings.Join(methods, ", "))
}

func noEndpoint(r *http.Request) error {
	return fault.New(fault.NotFound, "no such endpoint: %s", fault.Clip(r.URL.Path)).WithHint("see /openapi.json for the endpoints")
}

// notServed is the error of an endpoint whose part of the server is not there.
func notServed(what string) *fault.Error {
	return fault.New(fault.NotFound, "this server %s", what).WithHint("ask a server that has this part")
}

// notAllowed names the methods that the path has; fail puts them in Allow.
func notAllowed(r *http.Request, allow string) error {
	return fault.New(fault.MethodNotAllowed, "%s is not allowed on %s; use %s", fault.Clip(r.Method), fault.Clip(r.URL.Path), allow).With("allow", allow)
}
