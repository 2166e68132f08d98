package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"belay/internal/durable"
	"belay/internal/quantity"
	"belay/internal/workflow/run"
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
		return "", failed(ExitUsage, "attach it, or give a shorter text", fmt.Errorf("--input %s: the file %s is larger than %s", key, rest, quantity.Size(maxStdin)))
	case err != nil:
		return "", failed(ExitUsage, literally, fmt.Errorf("--input %s: the file %s cannot be read: %w", key, rest, err))
	}
	return plainText(fmt.Sprintf("--input %s: the file %s", key, rest), data)
}

// readInputs are what the workflow is given: the file's, and over it the flags'.
func readInputs(c *console, f *runFlags, r *run.Request) error {
	r.Texts = map[string]string{}
	var errs []error
	if f.inputFile != "" {
		data, _, err := durable.ReadFile(nil, f.inputFile, maxStdin)
		var text string
		if err == nil {
			text, err = plainText("the file", data)
		}
		if err == nil {
			r.Input, err = run.DecodeInput([]byte(text))
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			errs = append(errs, failed(ExitUsage, "name a file with a JSON object", fmt.Errorf("--input-file: %s does not exist", f.inputFile)))
		case errors.Is(err, durable.ErrNotRegular):
			errs = append(errs, failed(ExitUsage, "write the object into a file, or give the values with --input KEY=VALUE", fmt.Errorf("--input-file: %s is no file", f.inputFile)))
		case err != nil:
			errs = append(errs, failed(ExitUsage, `write a JSON object, such as {"kind": "image"}`, fmt.Errorf("--input-file: %s: %w", f.inputFile, err)))
		}
	}
	for _, text := range f.inputs {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			errs = append(errs, failed(ExitUsage, "write --input KEY=VALUE", fmt.Errorf("--input %q has no KEY=", text)))
			continue
		}
		if first, twice := r.Texts[key]; twice && first != value {
			errs = append(errs, failed(ExitUsage, "give it once", fmt.Errorf("--input %s is given twice", key)))
		}
		value, err := inputText(key, value)
		if err != nil {
			errs = append(errs, err)
		}
		r.Texts[key] = value
	}
	return errors.Join(errs...)
}
