package permit

import (
	"bytes"
	"errors"
	"slices"
	"strings"
)

// hookExit is the end of a hook that failed, and what it wrote to stderr.
type hookExit struct {
	err    error
	stderr string
}

func (e *hookExit) Error() string {
	return strings.TrimSuffix(e.err.Error()+": "+e.stderr, ": ")
}

func (e *hookExit) Unwrap() error { return e.err }

// brief is why a hook failed, without what it wrote to stderr: models read it.
func brief(err error) string {
	if exit := (*hookExit)(nil); errors.As(err, &exit) {
		return exit.err.Error()
	}
	return err.Error()
}

// capped keeps the first bytes of what is written to it, and calls full at the
// first that is too many.
type capped struct {
	b     bytes.Buffer // not embedded: its ReadFrom would take everything
	limit int
	full  func()
}

func (c *capped) Write(p []byte) (int, error) {
	keep := min(len(p), c.limit-c.b.Len())
	c.b.Write(p[:keep])
	if keep < len(p) && c.full != nil {
		c.full()
	}
	return len(p), nil
}

// hookVariables are what a hook may see of the environment: no key is among
// them.
var hookVariables = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "TEMP", "TMP", "TERM", "NO_COLOR",
	"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "SYSTEMROOT", "USERPROFILE", "APPDATA", "PATHEXT", "COMSPEC",
}

// HookEnv is the part of an environment that hooks get.
func HookEnv(environ []string) []string {
	var env []string
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		if name = strings.ToUpper(name); slices.Contains(hookVariables, name) || strings.HasPrefix(name, "LC_") {
			env = append(env, v)
		}
	}
	return env
}
