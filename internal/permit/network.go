package permit

import "slices"

// NetworkTool is the tool of effects that say which host a command reaches while it
// runs. It is a permission of its own: a rule for commands allows no host.
const NetworkTool = "network"

// registries names [Registries] in rules and decisions.
const registries = "registries"

// Registries are the usual package registries. One decision for the session covers
// all of them.
var Registries = []string{
	"proxy.golang.org", "sum.golang.org",
	"registry.npmjs.org", "registry.yarnpkg.com",
	"pypi.org", "files.pythonhosted.org",
	"crates.io", "index.crates.io", "static.crates.io",
	"rubygems.org", "index.rubygems.org",
	"repo.maven.apache.org", "repo1.maven.org", "plugins.gradle.org",
	"packagist.org", "repo.packagist.org",
	"api.nuget.org",
	"deb.debian.org", "security.debian.org", "archive.ubuntu.com", "security.ubuntu.com",
}

// maxHost is the longest name of a host, with its port: whose a host is stands at its end.
const maxHost = 253 + len(":65535")

// HostEffect is a connection of a command to a host, which has its port where that is
// not one of the web's.
func HostEffect(host string) Effect {
	return Effect{Tool: NetworkTool, Kind: Network, Summary: "a command connects to " + clip(host, maxHost), Hosts: []string{host}}
}

// hostClass is what a decision for the session about a host covers.
func (e Effect) hostClass(host string) string {
	if e.Tool == NetworkTool && slices.Contains(Registries, host) {
		return registries
	}
	return host
}

// judgeHost is the ruling in the mode plan on a host that a command reaches: it has no
// question there.
func (p Policy) judgeHost(e Effect) Ruling {
	if rule := p.allows(e); rule != "" {
		return Ruling{Allow, "the rule " + rule + " allows it", rule}
	}
	return Ruling{Refuse, "the mode plan reaches only hosts that a rule allows", ""}
}
