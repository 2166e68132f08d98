package pdf_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"belay/internal/attachment/pdf"
)

// What one hostile file may cost. The memory is the whole process's: the sandbox's
// 128 MiB, the engine's code, the file itself and the collector's share.
const (
	hostileTime   = 300 * time.Millisecond // of the engine
	hostileMemory = 260 << 20
)

// unraced is this test's program without the race detector, which multiplies
// memory and time.
func unraced(t *testing.T) string {
	t.Helper()
	if !raceEnabled {
		return os.Args[0]
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("memory was not measured: that takes a go tool to build this test without the race detector")
	}
	path := filepath.Join(t.TempDir(), "unraced.exe")
	if out, err := exec.Command(tool, "test", "-c", "-race=false", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// outcome is what the counter and the engine made of a file and what it cost.
type outcome struct {
	Kind   string        // text, encrypted, damaged, excess, slow, unsupported
	Time   time.Duration // of the processor, however busy the machine is
	Memory int64         // most that was resident, 0 where the system does not say
}

// readBoth asks the counter, then the engine, as a planner does.
func readBoth(ctx context.Context, e *pdf.Engine, data []byte) (pdf.Extract, error) {
	_, err := pdf.CountPages(ctx, bytes.NewReader(data), int64(len(data)))
	var excess *pdf.ExcessError
	if errors.As(err, &excess) || ctx.Err() != nil {
		return pdf.Extract{}, err
	}
	return e.Text(ctx, data, pdf.Extent{Bytes: 1 << 20})
}

func kindOf(err error) string {
	var excess *pdf.ExcessError
	switch {
	case err == nil:
		return "text"
	case errors.As(err, &excess):
		return "excess"
	case errors.Is(err, pdf.ErrEncrypted):
		return "encrypted"
	case errors.Is(err, pdf.ErrDamaged):
		return "damaged"
	case errors.Is(err, pdf.ErrTooSlow):
		return "slow"
	}
	return err.Error()
}

// ends is how a hostile file ends, each within tens of milliseconds; others may end
// in several of the ways.
var ends = map[string]string{
	"open brackets": "damaged", "open dictionaries": "damaged", "dictionaries in keys": "damaged",
	"open parentheses": "damaged", "an object of brackets": "damaged", "numbers": "damaged", "names": "damaged",
	"a catalogue of brackets": "excess", "a catalogue of dictionaries": "excess", "a catalogue of parentheses": "excess",
	"a bomb of objects": "excess",
}

// Every hostile file ends in a known way, in time and in memory. Each is read in a
// process of its own, because memory is measured as the system sees it.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	cache, program := t.TempDir(), unraced(t)
	run := func(t *testing.T, name string) outcome {
		t.Helper()
		path := filepath.Join(t.TempDir(), "f.pdf")
		env := append(os.Environ(), "BELAY_HOSTILE_PDF="+path, "BELAY_HOSTILE_CACHE="+cache)
		maker := exec.Command(program)
		maker.Env = append(env, "BELAY_HOSTILE_NAME="+name, hostileRole+"=make")
		if out, err := maker.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		cmd := exec.Command(program)
		cmd.Env = append(env, "BELAY_HOSTILE_NAME="+name, hostileRole+"=read")
		out, err := cmd.Output()
		var got outcome
		if line, _, _ := strings.Cut(string(out), "\n"); err != nil || json.Unmarshal([]byte(line), &got) != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return got
	}
	run(t, "fonts") // compiles the engine for all
	for name := range hostile {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(t, name)
			t.Logf("%s after %v with %d MiB", got.Kind, got.Time.Round(time.Millisecond), got.Memory>>20)
			switch got.Kind {
			case "text", "damaged", "excess", "slow":
			default:
				t.Errorf("ended with %s", got.Kind)
			}
			if w := ends[name]; w != "" && got.Kind != w {
				t.Errorf("ended with %s, want %s", got.Kind, w)
			}
			most := 5*time.Second + hostileTime
			if ends[name] != "" {
				most = time.Second
			}
			if got.Time > most {
				t.Errorf("took %v", got.Time)
			}
			if got.Memory > hostileMemory {
				t.Errorf("took %d MiB", got.Memory>>20)
			}
		})
	}
}

// hostileRole says in the environment which child of TestHostileFiles a process is.
const hostileRole = "BELAY_HOSTILE_ROLE"

// hostileChildren are its children, by their role: TestMain runs them in place of the
// tests.
var hostileChildren = map[string]func() error{"make": makeHostile, "read": readHostile}

// makeHostile makes a file in a process without the race detector, under which packing
// hundreds of megabytes takes most of a minute, and another one than the reader, whose
// memory is measured.
func makeHostile() error {
	return os.WriteFile(os.Getenv("BELAY_HOSTILE_PDF"), hostile[os.Getenv("BELAY_HOSTILE_NAME")](), 0o600)
}

// readHostile reads a file and prints the outcome.
func readHostile() error {
	data, err := os.ReadFile(os.Getenv("BELAY_HOSTILE_PDF"))
	if err != nil {
		return err
	}
	limit := hostileTime
	if ends[os.Getenv("BELAY_HOSTILE_NAME")] != "" {
		limit = time.Minute // on a busy machine tens of milliseconds take seconds
	}
	e := pdf.NewEngine(pdf.EngineOptions{CacheDir: os.Getenv("BELAY_HOSTILE_CACHE"), Time: limit})
	defer e.Close()
	start := spent()
	_, err = readBoth(context.Background(), e, data)
	got := outcome{Kind: kindOf(err), Time: spent() - start}
	if got.Memory, err = peak(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(got)
}

// peak is the most memory that this process had resident.
func peak() (int64, error) {
	if runtime.GOOS != "linux" {
		return 0, nil
	}
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if v, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(v), " kB"), 10, 64)
			return n << 10, err
		}
	}
	return 0, errors.New("no VmHWM")
}
