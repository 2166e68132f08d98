package permit

import (
	"slices"
	"strconv"
	"strings"
)

// PortsTool is the tool of rules about ports of background jobs that this machine's
// loopback leads to: "ports(3000)". It is a permission of its own: a rule for commands
// allows no port.
const PortsTool = "ports"

// port compares a port with the pattern.
func (r Rule) port(n uint16) bool {
	return !r.bounded || len(r.words) == 1 && r.words[0].match(strconv.Itoa(int(n)), false)
}

// deniesPorts reports whether a rule denies one of the ports that a call opens.
func (r Rule) deniesPorts(e Effect) fit {
	if r.Names(PortsTool) && slices.ContainsFunc(e.Ports, r.port) {
		return certain
	}
	return none
}

// judgePorts rules on a job whose ports are opened on this machine's loopback: it is
// asked about, unless rules name all of the ports.
func (p Policy) judgePorts(e Effect) Ruling {
	rule := ""
	for _, n := range e.Ports {
		i := slices.IndexFunc(p.Allowed, func(r Rule) bool { return r.Names(PortsTool) && r.port(n) })
		switch {
		case i >= 0:
			rule = p.Allowed[i].text
		case p.Mode == Plan:
			return Ruling{Refuse, "the mode plan opens only ports that a rule allows", ""}
		default:
			return Ruling{Ask, "it opens ports of its sandbox on this machine's loopback, to programs of yours and pages in your browser", ""}
		}
	}
	return Ruling{Allow, "the rule " + rule + " allows it", rule}
}

// portClasses are what a decision for the session about the ports of a command covers:
// these ports for these commands, and nothing that they change.
func (e Effect) portClasses(commands []string) (classes []string) {
	for _, n := range e.Ports {
		port := PortsTool + " " + strconv.Itoa(int(n))
		if len(commands) == 0 {
			classes = append(classes, port)
		}
		for _, c := range commands {
			classes = append(classes, port+" for "+c[len(e.Tool)+1:])
		}
	}
	return classes
}

// PortsLine says which ports a job opens, "" for none.
func (e Effect) PortsLine() string {
	if len(e.Ports) == 0 {
		return ""
	}
	var all []string
	for _, n := range e.Ports {
		all = append(all, strconv.Itoa(int(n)))
	}
	return "port " + strings.Join(all, ", ") + " of its sandbox, on this machine's loopback"
}
