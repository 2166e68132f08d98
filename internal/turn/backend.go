package turn

import (
	"belay/internal/fault"
	"belay/internal/model"
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

// backend is the provider of a name.
func (l *Local) backend(name string) (Backend, error) {
	switch {
	case name == "" || name == l.o.Provider.Name():
		return Backend{Provider: l.o.Provider, Prices: l.o.Prices}, nil
	case l.o.Others == nil:
		return Backend{}, fault.New(fault.InvalidRequest, "there is no provider %.40q here, only %s", name, l.o.Provider.Name())
	}
	return l.o.Others(name)
}

// provider is the name of the one that a turn asks for.
func (r *Request) provider() string {
	if r.Agent == nil {
		return ""
	}
	return r.Agent.Provider
}

// modelOf is what a backend is asked for: what the caller said, then what is usual
// for it.
func (l *Local) modelOf(b Backend, asked string, r Rules) (string, error) {
	if b.Model != "" {
		return first(asked, b.Model), nil
	}
	return l.model(asked, r)
}

// limits are those of a model of a project.
func (l *Local) limits(c Choice, r Rules) (model.Limits, error) {
	b, err := l.backend(c.Provider)
	if err != nil {
		return model.Limits{}, err
	}
	name, err := l.modelOf(b, c.Model, r)
	return b.Provider.Limits(name), err
}
