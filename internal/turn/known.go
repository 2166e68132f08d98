package turn

import (
	"fmt"
	"slices"
	"strings"

	"belay/internal/nearest"
	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/turn/agent"
)

// workbenchModes are what the original workbench sends as a mode. They act as
// the default there too, so nothing is unexpected about them.
var workbenchModes = []string{"PORTAL", "PIPELINE", "WORKBENCH"}

// modeWarning says that a mode is none of the known ones and acts as the default;
// it is "" for a known one. A mode is never refused: the compatible contract lets
// it be any word.
func modeWarning(mode string) string {
	modes := permit.ModeNames()
	if slices.Contains(modes, mode) || slices.Contains(workbenchModes, mode) {
		return ""
	}
	sentence := fmt.Sprintf("the mode %q is not known and acts as %s", mode, DefaultMode)
	if meant := nearest.Of(mode, modes); meant != "" {
		return sentence + "; did you mean " + meant + "?"
	}
	return sentence + "; known are " + strings.Join(modes, ", ")
}

// NamesTool reports whether a rule is about any of these tools, or about agents, whose
// tools each turn has for itself, or about the hosts that commands reach and the ports
// that they open. A name such as mcp.files.* stands for all that begin so.
func NamesTool(r permit.Rule, tools []string) bool {
	return strings.HasPrefix(r.Tool(), agent.ToolPrefix) || r.Names(permit.NetworkTool) || r.Names(permit.PortsTool) ||
		slices.ContainsFunc(tools, func(t string) bool { return r.Names(t) || tool.Names(t, r.Tool()) })
}
