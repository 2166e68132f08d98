package turn

import (
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/persona"
	"belay/internal/redact"
)

// Backend is a provider with what belongs to it.
type Backend struct {
	Provider model.Provider
	Prices   model.Prices
	// Model is what turns have where nothing names one; "" leaves that to the rules.
	Model string
}

// Choice names a model. Provider "" is the one that answers where nothing names
// another, and Model "" the usual one.
type Choice struct{ Provider, Model string }

// models finds the provider and the model that answer a turn.
type models struct {
	usual Backend
	// others gives further providers by their names; nil is none.
	others func(name string) (Backend, error)
	root   *persona.Root
	// global is the model tier between opts and AGENTS.md.
	global string
	redact *redact.Redactor
}

func newModels(o *Options) *models {
	return &models{Backend{Provider: o.Provider, Prices: o.Prices}, o.Others, o.Root, o.GlobalModel, o.Redact}
}

// backend is the provider of a name.
func (m *models) backend(name string) (Backend, error) {
	usual := m.usual.Provider.Name()
	switch {
	case name == "" || name == usual:
		return m.usual, nil
	case m.others == nil:
		return Backend{}, fault.New(fault.InvalidRequest, "there is no provider %.40q here, only %s", name, usual)
	}
	return m.others(name)
}

// backendOf is the provider that answers a request.
func (m *models) backendOf(r *Request) (Backend, error) {
	if d := r.direct(); d != nil {
		p := d.Provider()
		return Backend{Provider: p, Model: p.Name()}, nil
	}
	return m.backend(r.provider())
}

// choose is the model that a backend is asked for: opts, then the backend's usual one.
// Without that it is the setting, the front matter of the instruction root's AGENTS.md,
// or the default. One that holds a key is refused, as it would go on record.
func (m *models) choose(b Backend, asked string, r Rules) (name string, err error) {
	if name = first(asked, b.Model); b.Model == "" {
		var global string
		if global, err = m.root.GlobalModel(); err != nil {
			return "", err
		}
		name = first(asked, m.global, global, r.DefaultModel)
	}
	if m.redact.HoldsKey(name) {
		return "", fault.New(fault.InvalidRequest, "the model that the settings or the session name "+holdsKey).
			WithHint("belay config show says where model, default_model or openai.model is set; write a model there")
	}
	return name, nil
}

// limits are those of a model of a project.
func (m *models) limits(c Choice, r Rules) (model.Limits, error) {
	b, err := m.backend(c.Provider)
	if err != nil {
		return model.Limits{}, err
	}
	name, err := m.choose(b, c.Model, r)
	return b.Provider.Limits(name), err
}
