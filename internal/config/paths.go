package config

import (
	"path/filepath"
	"runtime"
	"strings"
)

// The names of the two files.
const (
	userFile    = "config.yaml"
	projectFile = "belay.yaml"
	folder      = "belay"
)

// Environ turns os.Environ's list into the map that [Options] takes.
func Environ(list []string) map[string]string {
	env := make(map[string]string, len(list))
	for _, kv := range list {
		name, value, ok := strings.Cut(kv, "=")
		if !ok || name == "" {
			continue
		}
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		env[name] = value
	}
	return env
}

// standardFolder is one of the standard folders: where the environment says, or where the
// system has it.
type standardFolder struct {
	xdg string // variable that holds an absolute folder, on every system
	// elsewhere: a folder below the home folder, or, on Windows, a variable.
	unix, mac, windows string
	// sub is below the place itself, where several of ours share one.
	sub string
}

var (
	configFolder = standardFolder{xdg: "XDG_CONFIG_HOME", unix: ".config", mac: "Library/Application Support", windows: "APPDATA"}
	stateFolder  = standardFolder{xdg: "XDG_STATE_HOME", unix: ".local/state", mac: "Library/Application Support", windows: "LOCALAPPDATA", sub: "state"}
	cacheFolder  = standardFolder{xdg: "XDG_CACHE_HOME", unix: ".cache", mac: "Library/Caches", windows: "LOCALAPPDATA", sub: "cache"}
)

// in returns the folder of belay in the place, or "" when nothing says where the
// place is. A relative XDG variable is ignored, as its specification demands.
func (p standardFolder) in(goos string, env map[string]string, home string) string {
	if dir := env[p.xdg]; filepath.IsAbs(dir) {
		return filepath.Join(dir, folder)
	}
	switch {
	case goos == "windows":
		if dir := env[p.windows]; filepath.IsAbs(dir) {
			return filepath.Join(dir, folder, p.sub)
		}
		return ""
	case !filepath.IsAbs(home): // below the folder of each call it would be another one
		return ""
	case goos == "darwin":
		if p == cacheFolder {
			return filepath.Join(home, p.mac, folder)
		}
		return filepath.Join(home, p.mac, folder, p.sub)
	}
	return filepath.Join(home, p.unix, folder)
}
