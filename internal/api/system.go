package api

import (
	"context"
	"net/http"

	"belay/internal/fault"
	"belay/internal/persona"
)

type personasAnswer struct {
	Personas []persona.Summary `json:"personas"`
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
	return reply(w, http.StatusOK, personasAnswer{orEmpty(list)})
}

func servePersona(h *Handler, w *response, r *http.Request) error {
	p, err := h.o.Engine.Persona(r.Context(), r.PathValue("name"))
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, personaAnswer{p})
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
	if h.o.Ready != nil {
		if err := h.o.Ready(r.Context()); err != nil {
			// Anybody may ask: what nobody classified may name paths.
			return fault.New(fault.Overloaded, "not ready: %s", fault.From(err).Message).Because(err)
		}
	}
	return reply(w, http.StatusOK, healthAnswer{"ready", h.o.Version})
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
