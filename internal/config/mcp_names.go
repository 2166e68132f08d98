package config

import (
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"belay/internal/nearest"
)

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
				c.Keys.add(secret(env, v), v == s.TokenEnv || namesKey(v))
			}
		}
		if u, err := url.Parse(s.URL); err == nil {
			for _, values := range u.Query() {
				for _, value := range values {
					if len(value) >= minSecret {
						c.Keys.add(Secret{value: value, origin: "mcp.servers." + name}, false)
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
