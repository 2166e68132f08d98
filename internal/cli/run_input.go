package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"belay/internal/durable"
)

// inputText is what --input KEY=VALUE gives. @FILE is the text of a file, its name
// relative to the current folder; @@ is an @ that begins a value.
func inputText(key, value string) (string, error) {
	rest, at := strings.CutPrefix(value, "@")
	switch {
	case !at:
		return value, nil
	case strings.HasPrefix(rest, "@"):
		return rest, nil
	}
	literally := fmt.Sprintf("name a file of text, or write --input %s=@%s for that very value", key, value)
	data, _, err := durable.ReadFile(nil, rest, maxStdin)
	switch {
	case rest == "":
		return "", failed(ExitUsage, literally, fmt.Errorf("--input %s: no file name follows the @", key))
	case errors.Is(err, fs.ErrNotExist):
		return "", failed(ExitUsage, literally, fmt.Errorf("--input %s: the file %s does not exist", key, rest))
	case errors.Is(err, durable.ErrTooLarge):
		return "", failed(ExitUsage, "attach it, or give a shorter text", fmt.Errorf("--input %s: the file %s is larger than %s", key, rest, size(maxStdin)))
	case err != nil:
		return "", failed(ExitUsage, literally, fmt.Errorf("--input %s: the file %s cannot be read: %w", key, rest, err))
	}
	return plainText(fmt.Sprintf("--input %s: the file %s", key, rest), data)
}
