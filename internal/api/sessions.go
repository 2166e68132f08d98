package api

import (
	"net/http"
	"net/url"
	"strconv"

	"belay/internal/fault"
	"belay/internal/session"
	"belay/internal/turn"
)

type sessionAnswer struct {
	Session session.Record `json:"session"`
}

type sessionsAnswer struct {
	Sessions []session.Record `json:"sessions"`
}

// listAnswer is a page of sessions. On the last one nothing follows.
type listAnswer struct {
	Sessions   []session.Record `json:"sessions"`
	NextCursor string           `json:"nextCursor,omitempty"`
	// More is how many sessions follow.
	More int `json:"more,omitempty"`
}

type transcriptAnswer struct {
	SessionID string          `json:"sessionId"`
	Entries   []session.Entry `json:"entries"`
}

type manifestAnswer struct {
	Manifest session.Manifest `json:"manifest"`
}

// query reads the URL's parameters, each at most once.
func query(r *http.Request) (map[string]string, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "the query string is malformed").With("field", "query").Because(err)
	}
	q := make(map[string]string, len(values))
	for name, all := range values {
		if len(all) > 1 {
			return nil, fault.New(fault.InvalidRequest, "the parameter %s is given more than once", clip(name)).With("field", clip(name))
		}
		q[name] = all[0]
	}
	return q, nil
}

// queryField reads one required parameter.
func queryField(r *http.Request, name string) (string, error) {
	q, err := query(r)
	if err != nil {
		return "", err
	}
	v := trim(q[name])
	if v == "" {
		return "", fault.New(fault.InvalidRequest, "the parameter %s is required", name).With("field", name)
	}
	return v, nil
}

// serveCreate answers 200, not 201, as the original did.
func serveCreate(h *Handler, w *response, r *http.Request) error {
	f, err := h.fields(w, r)
	if err != nil {
		return err
	}
	req := turn.CreateRequest{
		ProjectRoot: f.required("projectRoot"),
		Persona:     f.optional("persona"),
		Mode:        f.optional("mode"),
	}
	if err := f.err(); err != nil {
		return err
	}
	rec, err := h.o.Engine.Create(r.Context(), req)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, sessionAnswer{rec})
}

func serveList(h *Handler, w *response, r *http.Request) error {
	root, err := queryField(r, "projectRoot")
	if err != nil {
		return err
	}
	o, err := listOptions(r)
	if err != nil {
		return err
	}
	page, err := h.o.Engine.ListPage(r.Context(), root, o)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, listAnswer{orEmpty(page.Records), page.Next, page.More})
}

// maxPage is how many sessions one page has at most.
const maxPage = 1000

// listOptions reads which part of a list is wanted.
func listOptions(r *http.Request) (o session.ListOptions, err error) {
	q, err := query(r)
	if err != nil {
		return o, err
	}
	if q["limit"] != "" {
		if o.Limit, err = strconv.Atoi(q["limit"]); err != nil || o.Limit < 1 || o.Limit > maxPage {
			return o, fault.New(fault.InvalidRequest, "limit must be a whole number, 1 to %d", maxPage).With("field", "limit")
		}
	}
	switch q["order"] {
	case "", "created":
	case "used":
		o.Recent = true
	default:
		return o, fault.New(fault.InvalidRequest, "order must be created or used").With("field", "order")
	}
	o.Cursor = q["cursor"]
	return o, nil
}

func serveFind(h *Handler, w *response, r *http.Request) error {
	prefix, err := queryField(r, "prefix")
	if err != nil {
		return err
	}
	records, err := h.o.Engine.Find(r.Context(), prefix)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, sessionsAnswer{orEmpty(records)})
}

func serveGet(h *Handler, w *response, r *http.Request) error {
	rec, err := h.o.Engine.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, sessionAnswer{rec})
}

func serveDelete(h *Handler, w *response, r *http.Request) error {
	if err := h.o.Engine.Delete(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	return reply(w, http.StatusOK, okAnswer{true})
}

func serveTranscript(h *Handler, w *response, r *http.Request) error {
	id := r.PathValue("id")
	entries, err := h.o.Engine.Transcript(r.Context(), id)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, transcriptAnswer{id, orEmpty(entries)})
}

func serveManifest(h *Handler, w *response, r *http.Request) error {
	q, err := query(r)
	if err != nil {
		return err
	}
	m, err := h.o.Engine.Manifest(r.Context(), r.PathValue("id"), q["turn"])
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, manifestAnswer{m})
}

// orEmpty makes an empty list an empty array on the wire, not null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
