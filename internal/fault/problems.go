package fault

import "strconv"

// Problem is one thing that is wrong with a request.
type Problem struct {
	// Field is the member's path, such as "opts.maxTurns".
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Invalid returns all problems of a request as one INVALID_REQUEST, nil when
// there are none. The first gives the sentence and details.field;
// details.problems lists every one.
func Invalid(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	first := problems[0]
	message := first.Field + " " + first.Message
	if more := len(problems) - 1; more > 0 {
		message += " (and " + strconv.Itoa(more) + " more in details.problems)"
	}
	return New(InvalidRequest, "%s", message).With("field", first.Field).With("problems", problems)
}
