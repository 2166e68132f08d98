package api

import (
	"context"
	"io"
	"net/http"
	"sync"

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

func listPersonas(c *call) (personasAnswer, error) {
	list, err := c.o.Engine.Personas(c.ctx())
	if err != nil {
		return personasAnswer{}, err
	}
	tools, err := c.o.Engine.Tools(c.ctx())
	return personasAnswer{orEmpty(list), orEmpty(tools)}, err
}

func getPersona(c *call) (personaAnswer, error) {
	p, err := c.o.Engine.Persona(c.ctx(), c.r.PathValue("name"))
	return personaAnswer{p}, err
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

// health says that the process answers; nothing more.
func health(c *call) (healthAnswer, error) { return healthAnswer{"ok", c.o.Version}, nil }

// ready says whether new work is welcome.
func ready(c *call) (answer readyAnswer, err error) {
	if c.draining.Load() {
		return answer, errDraining
	}
	answer.healthAnswer = healthAnswer{"ready", c.o.Version}
	if c.o.Ready != nil {
		state, err := c.o.Ready(c.ctx())
		if c.authorize(c.r, &route{access: member}) == nil { // these name paths
			answer.Readiness = state
		}
		if err != nil {
			// Anybody may ask: what nobody classified may name paths.
			return answer, answer.refusal(err)
		}
	}
	return answer, nil
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

func serveDoctor(c *call) error { return report(c, c.o.Doctor) }

func serveConfig(c *call) error { return report(c, c.o.Config) }

func report(c *call, make func(context.Context) (any, error)) error {
	if make == nil {
		return notServed("does not report that")
	}
	v, err := make(c.ctx())
	if err != nil {
		return err
	}
	return reply(c.w, http.StatusOK, v)
}

func serveMetrics(c *call) error {
	c.metrics.handler.ServeHTTP(c.w, c.r)
	return nil
}

func serveOpenAPI(c *call) error {
	return replyOnce(c.w, c.r, &c.documents, openAPIKey{}, func() (*kept, error) {
		return written(func(w io.Writer) error { _, err := w.Write(c.openapi()); return err })
	})
}

// openAPIKey is under which the document is kept.
type openAPIKey struct{}

// documents keep what is the same for as long as the server runs.
type documents struct {
	mu   sync.Mutex
	made map[any]any
}

// Once implements cache.
func (d *documents) Once(key any, make func() (any, error)) (any, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if v, there := d.made[key]; there {
		return v, nil
	}
	v, err := make()
	if err != nil {
		return nil, err
	}
	if d.made == nil {
		d.made = map[any]any{}
	}
	d.made[key] = v
	return v, nil
}

func serveDocs(c *call) error {
	head, page := c.w.Header(), c.docs()
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Content-Security-Policy", page.policy)
	head.Set("Cache-Control", "no-cache")
	_, _ = c.w.Write(page.html)
	return nil
}
