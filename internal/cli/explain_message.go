package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"belay/internal/fault"
)

// withCode puts a code at the end of a message: before the colon of a list, whose lines have
// codes of their own, and nowhere where a narrower code stands already.
func withCode[Code ~string](message string, code Code) string {
	first, list, isList := strings.Cut(message, ":\n")
	switch {
	case isList:
		return fmt.Sprintf("%s (%s):\n%s", first, code, list)
	case hasCode(message):
		return message
	}
	return fmt.Sprintf("%s (%s)", message, code)
}

// hasCode reports whether a message ends with a code. Other words in capitals are
// abbreviations, or names of variables.
func hasCode(message string) bool {
	return slices.ContainsFunc(fault.Types(), func(s fault.Spec) bool {
		return strings.HasSuffix(message, "("+string(s.Type)+")")
	})
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
