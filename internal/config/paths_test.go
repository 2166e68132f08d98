package config

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlaces(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: the expected paths are written for systems with slashes")
	}
	tests := []struct {
		name, system, home string
		env                map[string]string
		want               []string // config, state, cache
	}{
		{"Linux", "linux", "/h", nil, []string{"/h/.config/belay", "/h/.local/state/belay", "/h/.cache/belay"}},
		{"macOS", "darwin", "/h", nil, []string{"/h/Library/Application Support/belay", "/h/Library/Application Support/belay/state", "/h/Library/Caches/belay"}},
		{"Windows", "windows", "", map[string]string{"APPDATA": "/roaming", "LOCALAPPDATA": "/local"}, []string{"/roaming/belay", "/local/belay/state", "/local/belay/cache"}},
		{
			"XDG", "darwin", "/h", map[string]string{"XDG_CONFIG_HOME": "/c", "XDG_STATE_HOME": "/s", "XDG_CACHE_HOME": "/k"},
			[]string{"/c/belay", "/s/belay", "/k/belay"},
		},
		{"relative XDG is ignored", "linux", "/h", map[string]string{"XDG_STATE_HOME": "s"}, []string{"/h/.config/belay", "/h/.local/state/belay", "/h/.cache/belay"}},
		{"nothing known", "linux", "", nil, []string{"", "", ""}},
		{"nothing known on Windows", "windows", `/h`, nil, []string{"", "", ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range []standardFolder{configFolder, stateFolder, cacheFolder} {
				got = append(got, filepath.ToSlash(p.in(tt.system, tt.env, tt.home)))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestEnviron(t *testing.T) {
	t.Parallel()
	got := Environ([]string{"A=1", "B=", "C=x=y", "nothing", "=odd"})
	if diff := cmp.Diff(map[string]string{"A": "1", "B": "", "C": "x=y"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
