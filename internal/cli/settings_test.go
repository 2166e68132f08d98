package cli

import (
	"io"
	"strings"
	"testing"

	"belay/internal/config"
)

// Every setting of attachments has a flag on the commands that attach for workflows,
// and what the flag says is what the configuration has, with its origin.
//
// Covers: attachments 14
func TestAttachmentFlags(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"run", "attach inspect"} {
		c := newConsole(strings.NewReader(""), io.Discard, io.Discard, nil)
		cmd, _, err := newRoot(c).Find(strings.Fields(name))
		if err != nil {
			t.Fatal(err)
		}
		var args []string
		want := map[string]string{}
		for _, s := range config.Reference() {
			if !strings.HasPrefix(s.Key, "attachments.") {
				continue
			}
			args = append(args, "--"+s.Flag)
			if !s.Switch {
				args = append(args, s.Default)
			}
			want[s.Key] = "flag --" + s.Flag
		}
		args = append(args, "--set", "turn.max_turns=7")
		want["turn.max_turns"] = "flag --set turn.max_turns"
		if err := cmd.ParseFlags(args); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		o := c.layers(cmd)
		o.Env, o.Home, o.Dir, o.ConfigFile = map[string]string{}, t.TempDir(), t.TempDir(), ""
		cfg, err := config.Load(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range cfg.Show() {
			if origin, ok := want[row.Key]; ok && row.Origin != origin {
				t.Errorf("%s: %s is from %q, want %q", name, row.Key, row.Origin, origin)
			}
		}
		if !cfg.Attachments.Declared.Strict || cfg.Turn.MaxTurns != 7 {
			t.Errorf("%s: %+v", name, cfg.Attachments.Declared)
		}
	}
}
