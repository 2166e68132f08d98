package app

import (
	"slices"
	"sync"

	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/turn"
)

// backends are the providers that agents of workflows may name beside the configured
// one. Each is made when it is first asked for. A workflow file names the service that
// gets a project's files: only the person's own settings say which may be named.
type backends struct {
	cfg *config.Config

	mu   sync.Mutex
	made map[string]turn.Backend
}

func newBackends(cfg *config.Config) *backends {
	return &backends{cfg: cfg, made: map[string]turn.Backend{}}
}

// get returns a provider by its name.
func (b *backends) get(name string) (turn.Backend, error) {
	if !slices.Contains(b.cfg.Workflow.Providers, name) {
		return turn.Backend{}, fault.New(fault.InvalidRequest, "workflow files may not name the provider %.40q", name).
			WithHint("allow it with workflow.providers in your own configuration")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if made, ok := b.made[name]; ok {
		return made, nil
	}
	cfg := *b.cfg
	cfg.Provider = name
	p, err := newProvider(&cfg)
	if err != nil {
		return turn.Backend{}, err
	}
	made := turn.Backend{Provider: p, Prices: prices(&cfg), Model: defaultModel(&cfg)}
	b.made[name] = made
	return made, nil
}

// ready reports why no turn could be taken with a provider, "" for the usual one.
func (a *App) ready(provider string) error {
	if provider == "" || provider == a.Config.Provider {
		return a.Ready()
	}
	b, err := a.backends.get(provider)
	if err != nil {
		return err
	}
	if err := a.Root.Check(); err != nil {
		return err
	}
	return b.Provider.Ready()
}

// close ends the connections of all that were made.
func (b *backends) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, made := range b.made {
		hangUp(made.Provider)
	}
}

// hangUp ends the connections that a provider keeps open between calls, if it does.
func hangUp(p model.Provider) {
	if c, ok := p.(interface{ Close() }); ok {
		c.Close()
	}
}
