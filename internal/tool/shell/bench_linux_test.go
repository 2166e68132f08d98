package shell

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"belay/internal/session"
	"belay/internal/tool"
)

// BenchmarkApply is what a command takes that changes a thousand small files, by its
// parts: the same command bare, the command with its review, and apply.
func BenchmarkApply(b *testing.B) {
	const write = `for i in $(seq 1000); do echo "$i: %s" >%s/$i; done`
	for name, c := range map[string]struct{ before, command string }{
		"new":      {"rm -rf many", "mkdir many; " + write},
		"replaced": {"mkdir -p many; " + fmt.Sprintf(write, "first", "many"), write},
		"ignored":  {"echo /many >.gitignore; rm -rf many", "mkdir many; " + write},
	} {
		b.Run(name, func(b *testing.B) {
			base := b.TempDir()
			w, s := newPlace(b, base), newShell(b, base, Options{})
			store, err := session.NewStore(session.Options{StateDir: filepath.Join(base, "state")})
			must(b, err)
			defer func() { must(b, store.Close()) }()
			blobs, err := store.Blobs(w.Project)
			must(b, err)
			w.Blobs = blobs
			w.Ledger.Before = func(ctx context.Context, _ ...session.Change) error { return blobs.Sync(ctx) }
			var bare, run, apply series
			sh := func(text string) {
				cmd := exec.CommandContext(b.Context(), "bash", "-c", text)
				cmd.Dir = w.Project
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v: %s", err, out)
				}
			}
			command := func(n int) string { return fmt.Sprintf(c.command, fmt.Sprint("round ", n), "many") }
			for n := range b.N {
				sh(c.before)
				began := time.Now()
				sh(command(2 * n))
				bare.add(began)
				sh(c.before)
				raw, err := json.Marshal(input{Command: command(2*n + 1)})
				must(b, err)
				call, err := s.Prepare(b.Context(), w, raw)
				must(b, err)
				began = time.Now()
				r, err := call.Run(tool.WithOrigin(b.Context(), tool.Origin{CallID: "call", ChangeID: "chg_" + strings.ToLower(fmt.Sprintf("%x", rand.Text()))}))
				must(b, err)
				run.add(began)
				began = time.Now()
				if r, err = r.Changes.Apply(b.Context(), nil); err != nil || r.Failed {
					b.Fatalf("%+v, %v", r, err)
				}
				apply.add(began)
				if data, err := os.ReadFile(filepath.Join(w.Project, "many/1000")); err != nil || !strings.Contains(string(data), fmt.Sprint("round ", 2*n+1)) {
					b.Fatalf("%q, %v", data, err)
				}
			}
			b.ReportMetric(bare.median(), "bare-ms")
			b.ReportMetric(run.median(), "run-ms")
			b.ReportMetric(apply.median(), "apply-ms")
			b.ReportMetric((run.median()+apply.median())/bare.median(), "times")
		})
	}
}

type series []time.Duration

func (s *series) add(began time.Time) { *s = append(*s, time.Since(began)) }

func (s series) median() float64 {
	slices.Sort(s)
	return float64(s[len(s)/2].Microseconds()) / 1000
}
