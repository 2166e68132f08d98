package upstream

import (
	"fmt"
	"sync"

	"belay/internal/model"
)

// Efforts says how hard each model is asked to think. It remembers which models refuse
// the setting, so that one request finds out for all.
type Efforts struct {
	// Word is the setting, in the service's own word; "" leaves it to the model.
	Word string
	// ByTools is set where a model may take an effort only without tools.
	ByTools bool

	mu      sync.Mutex
	instead map[effortKey]string
}

// effortKey is what a service decides by: some models take an effort only where there
// are no tools.
type effortKey struct {
	model string
	tools bool
}

func (e *Efforts) key(r *model.Request) effortKey {
	return effortKey{r.Model, e.ByTools && len(r.Tools) > 0}
}

// maxEfforts bounds what is remembered.
const maxEfforts = 1000

// Learnt is what r gets instead of the setting, if a request has found that out.
func (e *Efforts) Learnt(r *model.Request) (word string, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	word, ok = e.instead[e.key(r)]
	return word, ok
}

// Learn remembers what requests like r get instead of the setting.
func (e *Efforts) Learn(r *model.Request, word string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.instead == nil || len(e.instead) >= maxEfforts {
		e.instead = map[effortKey]string{}
	}
	e.instead[e.key(r)] = word
}

// EffortNotSent is the code of the notice that a model goes without the effort that a
// person has set.
const EffortNotSent = "EFFORT_NOT_SENT"

// Tell tells the person where r gets another word than they have set. It reports whether
// the caller of c wants more.
func (e *Efforts) Tell(c *Call, r *model.Request, word string) bool {
	if e.Word == "" || word == e.Word {
		return true
	}
	with := ""
	if e.key(r).tools {
		with = " together with tools"
	}
	return c.Emit(model.Notice{Code: EffortNotSent, Message: fmt.Sprintf(
		"the model %s does not take the setting effort%s; it was asked without %q", model.OneLine(r.Model), with, e.Word)})
}
