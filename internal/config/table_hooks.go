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

// maxHooks bounds the hooks, maxHookWords a hook's command.
const (
	maxHooks     = 50
	maxHookWords = 100
)

// hooks is a setting with a hook per name.
type hooks struct{ p *map[string]Hook }

func (v hooks) set(s, _ string) error {
	if strings.TrimSpace(s) == "" {
		*v.p = nil
		return nil
	}
	var doc yaml.Node
	if err := yaml.Load([]byte(s), &doc); err != nil || doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return errors.New("is not a mapping in YAML, such as {name: {command: [program, argument]}}")
	}
	_, err := v.setNode(doc.Content[0])
	return err
}

// setNode reads the hooks from a file; the node is where an error belongs.
func (v hooks) setNode(n *yaml.Node) (*yaml.Node, error) {
	if n.Kind != yaml.MappingNode || len(n.Content) > 2*maxHooks {
		return n, fmt.Errorf("expects a mapping of at most %d hooks", maxHooks)
	}
	all := map[string]Hook{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, body := n.Content[i], n.Content[i+1]
		id := strings.TrimSpace(name.Value)
		if _, twice := all[id]; twice || name.Kind != yaml.ScalarNode || id == "" || oneLine(id) != nil {
			return name, errors.New("expects a name that no other hook has")
		}
		h, at, err := hookOf(body)
		if err != nil {
			return at, fmt.Errorf("%s: %w", id, err)
		}
		all[id] = h
	}
	*v.p = all
	return nil, nil
}

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

func (hooks) kind() kind { return mapping }

// String is the hooks as JSON, which is YAML that set reads back.
func (v hooks) String() string {
	if len(*v.p) == 0 {
		return ""
	}
	type shown struct {
		Hook
		Timeout string `json:"timeout,omitempty"`
	}
	out := map[string]shown{}
	for name, h := range *v.p {
		s := shown{Hook: h}
		if h.Timeout > 0 {
			s.Timeout = h.Timeout.String()
		}
		out[name] = s
	}
	b, err := plainjson.Marshal(out)
	if err != nil { // strings always marshal
		return err.Error()
	}
	return string(b)
}

func (hooks) schema() map[string]any {
	list := map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
	return map[string]any{
		"type": "object",
		"additionalProperties": map[string]any{
			"type": "object", "additionalProperties": false, "required": []string{"command"},
			"properties": map[string]any{"command": list, "calls": list, "timeout": map[string]any{"type": "string"}},
		},
	}
}
