package config

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"belay/internal/plainjson"
)

// Hook is a command of the user's that has a say in tool calls.
type Hook struct {
	// Command is the program and its arguments.
	Command []string `json:"command"`
	// Calls are rules of the calls that it is asked about; none stand for all.
	Calls []string `json:"calls,omitempty"`
	// Timeout is how long it may take; 0 is the default.
	Timeout time.Duration `json:"-"`
}

// MarshalJSON implements json.Marshaler: a timeout is as people write it.
func (h Hook) MarshalJSON() ([]byte, error) {
	type plain Hook
	shown := struct {
		plain
		Timeout string `json:"timeout,omitempty"`
	}{plain: plain(h)}
	if h.Timeout > 0 {
		shown.Timeout = h.Timeout.String()
	}
	return plainjson.Marshal(shown)
}

// maxHookWords bounds a hook's command.
const maxHookWords = 100

var hookFields = []string{"command", "calls", "timeout"}

func hookOf(n *yaml.Node, wrong *badNodes) (h Hook) {
	isMapping := readFields(n, hookFields, wrong, func(name string, val *yaml.Node) (err error) {
		switch name {
		case "command":
			h.Command, err = words(val)
		case "calls":
			if h.Calls, err = words(val); err == nil {
				err = eachOf(h.Calls, rule)
			}
		case "timeout":
			h.Timeout, err = timeout(val, minHookTimeout, maxHookTimeout)
		}
		return err
	})
	if isMapping && !wrong.at("command") && (len(h.Command) == 0 || h.Command[0] == "") {
		wrong.add(n, "", errors.New("has no command"))
	}
	return h
}

// Limits of how long a hook may take.
const minHookTimeout, maxHookTimeout = 100 * time.Millisecond, 5 * time.Minute

// timeout is a length of time in an entry.
func timeout(n *yaml.Node, least, most time.Duration) (time.Duration, error) {
	d, err := ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err == nil && (d < least || d > most) {
		err = fmt.Errorf("must be from %s to %s", FormatDuration(least), FormatDuration(most))
	}
	return d, err
}

// eachOf checks each item of a list, and reports all that is wrong.
func eachOf(items []string, check func(string) (string, error)) error {
	var bad badItems
	for i, item := range items {
		if _, err := check(item); err != nil {
			bad = append(bad, badItem{i, err})
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return bad
}

// words is a sequence of strings, which may hold anything but NUL.
func words(n *yaml.Node) ([]string, error) {
	if n.Kind != yaml.SequenceNode || len(n.Content) > maxHookWords {
		return nil, fmt.Errorf("expects a list of at most %d strings", maxHookWords)
	}
	var all []string
	for _, item := range n.Content {
		if item.Kind != yaml.ScalarNode || strings.ContainsRune(item.Value, 0) {
			return nil, errors.New("expects a list of strings")
		}
		all = append(all, item.Value)
	}
	return all, nil
}
