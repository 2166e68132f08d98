package config

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Edits that come at the same time each find the file that the one before has left.
func TestEditsFollowEachOther(t *testing.T) {
	o := Options{ConfigFile: filepath.Join(t.TempDir(), "config.yaml"), Home: t.TempDir()}
	if err := os.WriteFile(o.ConfigFile, []byte("# mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, s := range Reference() {
		if s.Switch && len(keys) < 12 {
			keys = append(keys, s.Key)
		}
	}
	var edits sync.WaitGroup
	for _, key := range keys {
		edits.Go(func() {
			value := "true"
			if _, problems, err := Edit(t.Context(), o, key, &value); err != nil || len(problems) > 0 {
				t.Error(key, problems, err)
			}
		})
	}
	edits.Wait()
	data, err := os.ReadFile(o.ConfigFile)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(data), ": true\n"); got != len(keys) || !strings.HasPrefix(string(data), "# mine\n") {
		t.Errorf("%d of %d edits are kept:\n%s", got, len(keys), data)
	}
}
