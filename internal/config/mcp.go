package config

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	slashpath "path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"belay/internal/lazyregexp"
	"belay/internal/nearest"
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

// mcpEnvironment takes the variables of the MCP servers from the environment. Their values
// and those in an address's query are keys, unless they are short or paths: nothing that is
// written shows them.
func (b *builder) mcpEnvironment(c *Config, env map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(c.MCP)) {
		s := c.MCP[name]
		for _, v := range append(slices.Clone(s.Env), s.TokenEnv) {
			value := env[v]
			switch {
			case v == "":
				continue
			case value == "":
				s.Unset = append(s.Unset, v)
				b.warnings = append(b.warnings, UnsetVariable(name, v))
				continue
			case v == s.TokenEnv:
				s.Token = secret(env, v)
			default:
				s.Variables = append(s.Variables, v+"="+value)
			}
			if v == s.TokenEnv || len(value) >= minSecret && !filepath.IsAbs(value) {
				c.Keys.All = append(c.Keys.All, secret(env, v))
			}
		}
		if u, err := url.Parse(s.URL); err == nil {
			for _, values := range u.Query() {
				for _, value := range values {
					if len(value) >= minSecret {
						c.Keys.All = append(c.Keys.All, Secret{value: value, origin: "mcp.servers." + name})
					}
				}
			}
		}
		c.MCP[name] = s
	}
}

// UnsetVariable is the warning about a variable that an MCP server wants and that is not set.
func UnsetVariable(server, variable string) string {
	return fmt.Sprintf("mcp.servers.%s: the environment variable %s is not set", server, variable)
}

// mcpPrefix is how the names of tools begin that MCP servers offer.
const mcpPrefix = "mcp."

// serverNames are the names of the MCP servers, in order. A server whose entry in the user's
// file is wrong has its own problem, and counts.
func (b *builder) serverNames(c *Config, user *file) []string {
	names := maps.Clone(c.MCP)
	if names == nil {
		names = map[string]MCPServer{}
	}
	for _, e := range user.entries {
		if e.key == "mcp.servers" && e.node.Kind == yaml.MappingNode && b.byName[e.key].origin == "default" {
			for i := 0; i+1 < len(e.node.Content); i += 2 {
				names[e.node.Content[i].Value] = MCPServer{}
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// mcpRules refuses rules about tools of servers that there are not. A project's own rules
// may be about servers that only other people have.
func (b *builder) mcpRules(c *Config, user *file) {
	names := b.serverNames(c, user)
	check := func(key string, rules []string) {
		for _, r := range rules {
			tool, _, _ := strings.Cut(strings.ToLower(r), "(")
			rest, ok := strings.CutPrefix(tool, mcpPrefix)
			server, _, named := strings.Cut(rest, ".")
			if !ok || rest == "*" || named && slices.Contains(names, server) {
				continue
			}
			message := fmt.Sprintf("%.60q: there is no MCP server %s", r, clean(server))
			if !named {
				message = fmt.Sprintf("%.60q names no tool of the MCP server; write mcp.%s.* for all of them", r, clean(server))
			}
			hint := "name that server under mcp.servers in your " + userFile + ", or remove the rule"
			if slices.Contains(names, server) {
				hint = ""
			} else if meant := nearest.Of(server, names); meant != "" {
				hint = "did you mean " + meant + "?"
			} else if len(names) > 0 {
				hint = "mcp.servers has " + strings.Join(names, ", ")
			}
			b.problem(b.byName[key].origin, key, message, hint)
		}
	}
	check("permit.allow", c.Permit.Allow)
	check("permit.deny", c.Permit.Deny)
	check("permit.ask_before", c.Permit.AskBefore)
	for _, name := range slices.Sorted(maps.Keys(c.Hooks)) {
		check("hooks", c.Hooks[name].Calls)
	}
}
