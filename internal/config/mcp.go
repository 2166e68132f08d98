package config

import (
	"errors"
	"fmt"
	"net/url"
	slashpath "path"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"belay/internal/lazyregexp"
	"belay/internal/netguard"
	"belay/internal/plainjson"
)

// MCPServer is a program or an address that offers tools by the Model Context Protocol.
type MCPServer struct {
	// Command is the program and its arguments. It runs as the user, outside the sandbox.
	Command []string `json:"command,omitempty"`
	// Env are names of environment variables that the program gets beside the plain ones.
	Env []string `json:"env,omitempty"`
	// URL is where a remote server listens; TokenEnv the variable with its bearer token.
	URL      string `json:"url,omitempty"`
	TokenEnv string `json:"token_env,omitempty"`
	// Tools are patterns of the names that are offered, with * for any characters; none
	// stand for all.
	Tools []string `json:"tools,omitempty"`
	// Timeout is how long one call may take; 0 is the default.
	Timeout time.Duration `json:"-"`

	// Token is the value of TokenEnv, Variables are those of Env, as NAME=value. Unset are
	// the names of those that the environment lacks.
	Token     Secret   `json:"-"`
	Variables []string `json:"-"`
	Unset     []string `json:"-"`
}

// MarshalJSON implements json.Marshaler: a timeout is as people write it.
func (s MCPServer) MarshalJSON() ([]byte, error) {
	type plain MCPServer
	shown := struct {
		plain
		Timeout string `json:"timeout,omitempty"`
	}{plain: plain(s)}
	if s.Timeout > 0 {
		shown.Timeout = s.Timeout.String()
	}
	return plainjson.Marshal(shown)
}

// Limits of the timeout of a call.
const minMCPTimeout, maxMCPTimeout = time.Second, time.Hour

// mcpName is what a server may be called: the name is a part of the names of its tools.
var mcpName = lazyregexp.New(`^[a-z][a-z0-9_-]{0,23}$`)

// mcpServers is a setting with an MCP server per name.
func mcpServers(p *map[string]MCPServer) value {
	list := map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
	line := map[string]any{"type": "string"}
	return entries[MCPServer]{
		p: p, what: "MCP servers", most: 50, example: "{name: {command: [program, argument]}}", read: mcpServerOf,
		name: func(name string) (string, error) {
			if !mcpName.MatchString(name) {
				return "", fmt.Errorf("%q is no name of a server: it begins with a small letter, and has up to 24 small letters, digits, _ and -", clean(name))
			}
			return name, nil
		},
		entry: map[string]any{
			"type": "object", "additionalProperties": false,
			"properties": map[string]any{"command": list, "env": list, "url": line, "token_env": line, "tools": list, "timeout": line},
			"oneOf":      []any{map[string]any{"required": []string{"command"}}, map[string]any{"required": []string{"url"}}},
		},
	}
}

var mcpFields = []string{"command", "env", "url", "token_env", "tools", "timeout"}

func mcpServerOf(n *yaml.Node, wrong *badNodes) (s MCPServer) {
	isMapping := readFields(n, mcpFields, wrong, func(name string, val *yaml.Node) (err error) {
		switch name {
		case "command":
			s.Command, err = words(val)
		case "env":
			if s.Env, err = words(val); err == nil {
				err = eachOf(s.Env, personVariable)
			}
		case "url":
			s.URL, err = val.Value, mcpURL(val.Value)
		case "token_env":
			s.TokenEnv = val.Value
			_, err = personVariable(val.Value)
		case "tools":
			if s.Tools, err = words(val); err == nil {
				err = eachOf(s.Tools, namePattern)
			}
		case "timeout":
			s.Timeout, err = timeout(val, minMCPTimeout, maxMCPTimeout)
		}
		return err
	})
	if isMapping && !wrong.at("command", "url", "env", "token_env") {
		wrong.add(n, "", s.check())
	}
	return s
}

// check says what is wrong with the fields together.
func (s MCPServer) check() error {
	command := len(s.Command) > 0 && s.Command[0] != ""
	switch {
	case command == (s.URL != ""):
		return errors.New("needs either a command or a url")
	case command && s.TokenEnv != "":
		return errors.New("token_env belongs to a url; a command gets variables with env")
	case !command && len(s.Env) > 0:
		return errors.New("env belongs to a command; a url has token_env")
	}
	return nil
}

// namePattern checks a pattern of the names of tools.
func namePattern(p string) (string, error) {
	if _, err := slashpath.Match(p, ""); err != nil || p == "" {
		return "", fmt.Errorf("%q is no pattern of names, such as read_*", p)
	}
	return p, nil
}

// mcpURL checks the address of a remote server.
func mcpURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Fragment != "":
		return errors.New("is not an address such as https://example.com/mcp, without user name and password")
	case u.Scheme == "https", u.Scheme == "http" && netguard.IsLoopback(u.Hostname()):
		return nil
	}
	return errors.New("must be https, or http on this machine")
}

// personVariable checks the name of a variable that a program of the user's gets: belay's own
// keys are for belay alone.
func personVariable(name string) (string, error) {
	if _, err := variable(name); err != nil {
		return "", err
	}
	if upper := strings.ToUpper(name); slices.Contains(keyVariables, upper) || strings.HasPrefix(upper, "BELAY_") || strings.HasPrefix(upper, "CHIRALITY_") {
		return "", fmt.Errorf("%s is belay's own, and no other program gets it", name)
	}
	return name, nil
}

// minSecret is the shortest value that is taken for a key, in bytes: shorter ones are words.
const minSecret = 8
