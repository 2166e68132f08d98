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

func hookOf(n *yaml.Node) (h Hook, at *yaml.Node, err error) {
	if n.Kind != yaml.MappingNode {
		return h, n, errors.New("expects a mapping of command, calls, timeout")
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, val := n.Content[i], n.Content[i+1]
		switch k.Value {
		case "command":
			h.Command, err = words(val)
		case "calls":
			if h.Calls, err = words(val); err == nil {
				for _, r := range h.Calls {
					if _, err = rule(r); err != nil {
						break
					}
				}
			}
		case "timeout":
			h.Timeout, err = time.ParseDuration(val.Value)
			if err == nil && (h.Timeout < 100*time.Millisecond || h.Timeout > 5*time.Minute) {
				err = errors.New("timeout must be from 100ms to 5m")
			}
		default:
			err = fmt.Errorf("%q is not one of command, calls, timeout", clean(k.Value))
		}
		if err != nil {
			return h, val, err
		}
	}
	if len(h.Command) == 0 || h.Command[0] == "" {
		return h, n, errors.New("has no command")
	}
	return h, nil, nil
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
