package fault

import "strconv"

// Problem is one thing that is wrong with a request.
type Problem struct {
	// Field is the member's path, such as "opts.maxTurns".
	Field   string `json:"field"`
	Message string `json:"message"`
}

// MaxProblems is how many problems of a request an error lists; it counts the others.
const MaxProblems = 50

// Problems gathers what is wrong with a request. It keeps the first [MaxProblems]: a body
// of a few megabytes can have a million of them.
type Problems struct {
	first []Problem
	more  int
}

// Add notes a problem.
func (p *Problems) Add(field, message string) {
	if len(p.first) == MaxProblems {
		p.more++
		return
	}
	p.first = append(p.first, Problem{Field: field, Message: message})
}

// Len is how many there are, kept or not.
func (p *Problems) Len() int { return len(p.first) + p.more }

// Err returns all problems as one INVALID_REQUEST, nil when there are none. The first
// gives the sentence and details.field; details.problems lists those that were kept, and
// details.more counts the others.
func (p *Problems) Err() error {
	if len(p.first) == 0 {
		return nil
	}
	first, rest := p.first[0], ""
	switch others := p.Len() - 1; {
	case p.more > 0:
		rest = " (and " + strconv.Itoa(others) + " more; details.problems has the first " + strconv.Itoa(len(p.first)) + ")"
	case others > 0:
		rest = " (and " + strconv.Itoa(others) + " more in details.problems)"
	}
	e := New(InvalidRequest, "%s", first.Field+" "+first.Message+rest).With("field", first.Field).With("problems", p.first)
	if p.more > 0 {
		e = e.With("more", p.more)
	}
	return e
}

// Invalid is the error of these problems, as [Problems.Err] says.
func Invalid(problems []Problem) error {
	var p Problems
	for _, one := range problems {
		p.Add(one.Field, one.Message)
	}
	return p.Err()
}
