package permit

import (
	"slices"
	"strings"
)

// online are programs that are made to reach other machines; nil stands for all
// of their commands.
var online = map[string][]string{
	"curl": nil, "wget": nil, "ssh": nil, "scp": nil, "sftp": nil, "rsync": nil, "nc": nil, "ncat": nil, "netcat": nil,
	"telnet": nil, "ftp": nil, "socat": nil, "ping": nil, "dig": nil, "host": nil, "nslookup": nil, "http": nil, "https": nil,
	"aria2c": nil, "gh": nil, "glab": nil, "aws": nil, "gcloud": nil, "az": nil, "kubectl": nil, "helm": nil,
	"npx": nil, "pnpx": nil, "bunx": nil, "uvx": nil, "pipx": nil, "apt": nil, "apt-get": nil, "brew": nil, "dnf": nil,
	"openssl": {"s_client"},
	"git":     {"clone", "fetch", "pull", "push", "ls-remote", "remote", "submodule", "lfs"},
	"go":      {"get", "install", "mod", "run", "build", "test", "list", "generate", "work"},
	"cargo":   {"install", "fetch", "update", "add", "publish", "search", "build", "test", "run"},
	"npm":     {"install", "i", "ci", "update", "publish", "exec", "x", "audit", "view", "add", "create", "init"},
	"pnpm":    {"install", "i", "add", "update", "dlx", "publish"},
	"yarn":    {"install", "add", "up", "dlx", "npm"},
	"bun":     {"install", "add", "update", "x"},
	"pip":     {"install", "download", "index"},
	"pip3":    {"install", "download", "index"},
	"uv":      {"pip", "sync", "add", "run", "tool", "lock"},
	"poetry":  {"install", "add", "update", "lock", "publish"},
	"gem":     {"install", "update", "push", "fetch"},
	"bundle":  {"install", "update"},
	"docker":  {"pull", "push", "build", "run", "compose", "login", "search", "buildx"},
	"podman":  {"pull", "push", "build", "run", "login", "search"},
}

// reaches reports whether the command is one that reaches other machines, or
// may be: an option before its subcommand hides which it is.
func reaches(c Command) bool {
	subs, ok := online[program(c)]
	if !ok {
		return false
	}
	if subs == nil {
		return true
	}
	at := subcommand(program(c), c.Words)
	switch {
	case at == len(c.Words):
		return false
	case at >= c.Fixed, strings.HasPrefix(c.Words[at], "-"):
		return c.Words[at] != "--version"
	}
	return slices.Contains(subs, c.Words[at])
}
