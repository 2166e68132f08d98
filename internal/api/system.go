package api

import (
	"context"
	"net/http"

	"belay/internal/fault"
	"belay/internal/persona"
)

type personasAnswer struct {
	Personas []persona.Summary `json:"personas"`
	Tools    []string          `json:"tools" doc:"The tools that a turn can be given."`
}

type personaAnswer struct {
	Persona persona.Persona `json:"persona"`
}

type healthAnswer struct {
	Status  string `json:"status"`
	Version string `json:"version,omitempty"`
}

func servePersonas(h *Handler, w *response, r *http.Request) error {
	list, err := h.o.Engine.Personas(r.Context())
	if err != nil {
		return err
	}
	tools, err := h.o.Engine.Tools(r.Context())
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, personasAnswer{orEmpty(list), orEmpty(tools)})
}

func servePersona(h *Handler, w *response, r *http.Request) error {
	p, err := h.o.Engine.Persona(r.Context(), r.PathValue("name"))
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, personaAnswer{p})
}

// Readiness is what a server that takes work cannot do all the same.
type Readiness struct {
	// Missing are the parts that it goes without.
	Missing []Missing `json:"missing,omitempty"`
	// Projects are those in use whose folder takes no writes.
	Projects []Unwritable `json:"projects,omitempty"`
}

// Missing is a part that a server goes without.
type Missing struct {
	Part   string `json:"part"`
	Reason string `json:"reason"`
	Effect string `json:"effect"`
}

// Unwritable is a project in whose folder nothing can be written.
type Unwritable struct {
	ProjectRoot string `json:"projectRoot"`
	Reason      string `json:"reason"`
}

type readyAnswer struct {
	healthAnswer
	Readiness
}

// serveHealth says that the process answers; nothing more.
func serveHealth(h *Handler, w *response, _ *http.Request) error {
	return reply(w, http.StatusOK, healthAnswer{"ok", h.o.Version})
}

// serveReady says whether new work is welcome.
func serveReady(h *Handler, w *response, r *http.Request) error {
	if h.draining.Load() {
		return fault.New(fault.Overloaded, "the server is shutting down")
	}
	answer := readyAnswer{healthAnswer: healthAnswer{"ready", h.o.Version}}
	if h.o.Ready != nil {
		state, err := h.o.Ready(r.Context())
		if h.authorize(r, &route{access: member}) == nil { // these name paths
			answer.Readiness = state
		}
		if err != nil {
			// Anybody may ask: what nobody classified may name paths.
			return answer.refusal(err)
		}
	}
	return reply(w, http.StatusOK, answer)
}

// refusal says why no work is welcome, and the rest of the answer as details.
func (a readyAnswer) refusal(err error) error {
	f := fault.New(fault.Overloaded, "not ready: %s", fault.From(err).Message).Because(err)
	if len(a.Missing) > 0 {
		f = f.With("missing", a.Missing)
	}
	if len(a.Projects) > 0 {
		f = f.With("projects", a.Projects)
	}
	return f
}

func serveDoctor(h *Handler, w *response, r *http.Request) error {
	return report(w, r, h.o.Doctor)
}

func serveConfig(h *Handler, w *response, r *http.Request) error {
	return report(w, r, h.o.Config)
}

func report(w *response, r *http.Request, make func(context.Context) (any, error)) error {
	if make == nil {
		return fault.New(fault.NotFound, "this server does not report that")
	}
	v, err := make(r.Context())
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, v)
}

func serveMetrics(h *Handler, w *response, r *http.Request) error {
	h.metrics.handler.ServeHTTP(w, r)
	return nil
}

func serveOpenAPI(h *Handler, w *response, _ *http.Request) error {
	head := w.Header()
	head["Content-Type"] = headerJSON
	head.Set("Cache-Control", "no-cache")
	_, _ = w.Write(h.openapi())
	return nil
}

func serveDocs(h *Handler, w *response, _ *http.Request) error {
	head := w.Header()
	head.Set("Content-Type", "text/html; charset=utf-8")
	page := h.docs()
	head.Set("Content-Security-Policy", page.policy)
	head.Set("Cache-Control", "no-cache")
	_, _ = w.Write(page.html)
	return nil
}
