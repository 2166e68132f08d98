package shell

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"belay/internal/tool/shell/confine"
)

// Nobody reaches a command that listens, also where it names no port: it has a network of
// its own, or none.
func TestNobodyReachesAListener(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	must(t, err)
	for name, o := range map[string]Options{
		"ask":                 {Network: confine.NetworkAsk},
		"none":                {Network: confine.NetworkNone},
		"ask, Landlock alone": {Network: confine.NetworkAsk, Without: confine.Means{Namespaces: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := tempDir(t)
			w := newPlace(t, base)
			o.ReadPaths = []string{self}
			s := newShell(t, base, o)
			at := filepath.Join(w.Scratch, "tmp", "port")
			ctx, ended := context.WithCancel(t.Context())
			defer ended()
			reached := make(chan error, 1)
			go func() {
				for ; ctx.Err() == nil; time.Sleep(time.Millisecond) {
					if port, err := os.ReadFile(at); err == nil {
						c, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", string(port)))
						if err == nil {
							_ = c.Close()
						}
						_ = os.WriteFile(at+".tried", nil, 0o600)
						reached <- err
						return
					}
				}
				reached <- os.ErrNotExist
			}()
			command := "env " + noSleep + " " + roleVar + "=probe " + self + " " + roleArg + ` listen $TMPDIR/port & until [ -e $TMPDIR/port.tried ] || ! kill -0 $! 2>/dev/null; do sleep 0.01; done`
			r, err := callShell(t, s, w, input{Command: command})
			must(t, err)
			ended()
			dialled := <-reached
			if strings.Contains(r.Text, escaped) || !o.Without.Namespaces && strings.Contains(r.Text, "ermission") {
				t.Errorf("it was reached, or never listened: %s", r.Text)
			}
			if dialled == nil || os.IsNotExist(dialled) != o.Without.Namespaces { // without namespaces there is no socket
				t.Errorf("from outside: %v", dialled)
			}
		})
	}
}
