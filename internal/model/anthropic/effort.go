package anthropic

import (
	"errors"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"belay/internal/lazyregexp"
	"belay/internal/model"
)

// effort is how hard the model of r is asked to think.
func (p *protocol) effort(r *model.Request) string {
	if word, known := p.efforts.Learnt(r); known {
		return word
	}
	return p.efforts.Word
}

// noEffort is how the service says that a model has no such setting. A word that the
// model does not know is another matter: the person can correct it.
var noEffort = lazyregexp.New(`(?i)does not support (the )?effort|effort (parameter )?is not supported (by|with|for) this model`)

// refusesEffort reports whether the service refused a request for its effort alone.
func refusesEffort(err error) bool {
	var e *sdk.Error
	return errors.As(err, &e) && e.StatusCode == 400 && noEffort.MatchString(e.RawJSON())
}
