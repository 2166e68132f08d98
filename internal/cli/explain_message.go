package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"belay/internal/fault"
	"belay/internal/lazyregexp"
)

// codeAtEnd is a code that a message names itself.
var codeAtEnd = lazyregexp.New(`\([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\)$`)

// withCode puts a type's code at the end of a message: before the colon of a list, whose
// lines have codes of their own, and nowhere where a narrower code stands already.
func withCode(message string, t fault.Type) string {
	first, list, isList := strings.Cut(message, ":\n")
	switch {
	case isList:
		return fmt.Sprintf("%s (%s):\n%s", first, t, list)
	case codeAtEnd.MatchString(message):
		return message
	}
	return fmt.Sprintf("%s (%s)", message, t)
}

// withoutReason is the message of f without its cause, which is printed with its path.
func withoutReason(f *fault.Error) string {
	if at := (*fs.PathError)(nil); errors.As(f.Cause, &at) {
		return strings.TrimSuffix(f.Message, ": "+at.Err.Error())
	}
	if link := (*os.LinkError)(nil); errors.As(f.Cause, &link) {
		return strings.TrimSuffix(f.Message, ": "+link.Err.Error())
	}
	return strings.TrimSuffix(f.Message, ": "+f.Cause.Error())
}
