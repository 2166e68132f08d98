package app

import (
	"fmt"
	"os"
	"strings"

	"belay/internal/lazyregexp"
	"belay/internal/tool/shell"
)

// apparmorSwitch says whether AppArmor forbids user namespaces to programs without a
// profile, as it does on Ubuntu 24.04.
const apparmorSwitch = "/proc/sys/kernel/apparmor_restrict_unprivileged_userns"

// plainPath is a path that means itself in a profile and in a shell.
var plainPath = lazyregexp.New(`^/[A-Za-z0-9_./+-]+$`)

// apparmor tells how commands get namespaces where AppArmor keeps them from belay, whose
// program is at a path. There is nothing to tell elsewhere.
func apparmor(report shell.Report, switchFile, program string) []Check {
	state, err := os.ReadFile(switchFile) //nolint:gosec // a setting of the kernel
	if err != nil || strings.TrimSpace(string(state)) != "1" || report.Namespaces {
		return nil
	}
	c := Check{
		Name: "commands", Level: Notice, Detail: "AppArmor keeps user namespaces from belay, so commands have no overlay",
		Next: "give belay's program an AppArmor profile with the rule userns,",
	}
	if plainPath.MatchString(program) {
		profile := fmt.Sprintf(`abi <abi/4.0>,\ninclude <tunables/global>\nprofile belay %s flags=(unconfined) {\n  userns,\n}\n`, program)
		c.Next = fmt.Sprintf("printf '%s' | sudo tee /etc/apparmor.d/belay && sudo apparmor_parser -r /etc/apparmor.d/belay", profile)
	}
	return []Check{c}
}
