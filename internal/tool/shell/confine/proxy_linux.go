package confine

import (
	"slices"
	"strconv"
	"strings"
)

// proxyVariables tell programs of their proxy. Some know only one way to write them.
var proxyVariables = []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"}

// proxied is an environment with belay's proxy in place of any other. What a command
// serves to itself needs none.
func proxied(env []string) []string {
	others := append([]string{"ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"}, proxyVariables...)
	env = slices.DeleteFunc(slices.Clone(env), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.Contains(others, name)
	})
	for _, name := range proxyVariables {
		env = append(env, name+"=http://127.0.0.1:"+strconv.Itoa(ProxyPort))
	}
	const local = "localhost,127.0.0.1,::1"
	// Node.js ignores these variables without this option.
	return append(env, "NO_PROXY="+local, "no_proxy="+local, "NODE_USE_ENV_PROXY=1")
}
