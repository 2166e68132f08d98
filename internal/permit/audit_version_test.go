package permit

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/durable"
	"belay/internal/fault"
)

// golden puts the log that a program of a format's version wrote into a folder.
func golden(t *testing.T, version int) *Audit {
	t.Helper()
	a, err := OpenAudit(filepath.Join(t.TempDir(), "audit.jsonl"), nil)
	must(t, err)
	for _, end := range []string{"", ".head"} {
		data, err := os.ReadFile(filepath.Join("testdata", "audit", fmt.Sprintf("v%d", version), "audit.jsonl"+end))
		must(t, err)
		must(t, os.WriteFile(a.path+end, data, 0o600))
	}
	return a
}

// Logs of every version are verified and continued.
func TestEveryAuditFormatIsRead(t *testing.T) {
	t.Parallel()
	for version := range auditVersion + 1 {
		a := golden(t, version)
		if n, err := a.Verify(soon(t)); n != 2 || err != nil {
			t.Errorf("version %d: %d lines, %v", version, n, err)
		}
		must(t, a.Append(soon(t), Entry{Kind: "decision"}))
		if n, err := a.Verify(soon(t)); n != 3 || err != nil {
			t.Errorf("version %d, continued: %d lines, %v", version, n, err)
		}
		data, err := os.ReadFile(a.path)
		must(t, err)
		if lines := strings.Split(string(data), "\n"); !strings.HasPrefix(lines[2], fmt.Sprintf(`{"v":%d,"n":3,`, auditVersion)) {
			t.Errorf("the new line is %.60s", lines[2])
		}
	}
}

// A newer log is named and left alone, whether its head tells or its last line,
// which a process that died may have left behind the head.
func TestNewerAuditIsRefused(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"head", "line"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			a := golden(t, auditVersion)
			data, err := os.ReadFile(a.path)
			must(t, err)
			h, err := os.ReadFile(a.path + ".head")
			must(t, err)
			if where == "head" {
				h = bytes.Replace(h, fmt.Appendf(nil, `"v":%d`, auditVersion), fmt.Appendf(nil, `"v":%d,"more":[]`, auditVersion+1), 1)
			} else {
				line, _ := withHash(fmt.Appendf(nil, `{"v":%d,"more":[]`, auditVersion+1))
				data = append(data, line...)
			}
			data = append(data, `{"half a line`...)
			must(t, os.WriteFile(a.path, data, 0o600))
			must(t, os.WriteFile(a.path+".head", h, 0o600))
			_, verified := a.Verify(soon(t))
			for what, err := range map[string]error{"verify": verified, "append": a.Append(soon(t), Entry{Kind: "decision"})} {
				want := fmt.Sprintf("has format version %d, and this belay reads versions up to %d", auditVersion+1, auditVersion)
				if err == nil || errors.Is(err, ErrAuditBroken) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "audit") || fault.From(err).Hint != durable.NewerHint {
					t.Errorf("%s: %v", what, err)
				}
			}
			for path, want := range map[string][]byte{a.path: data, a.path + ".head": h} {
				got, err := os.ReadFile(path)
				must(t, err)
				if diff := cmp.Diff(string(want), string(got)); diff != "" {
					t.Errorf("%s changed:\n%s", path, diff)
				}
			}
		})
	}
}

// A line that was changed to look newer is a changed line.
func TestForgedVersionIsABrokenLine(t *testing.T) {
	t.Parallel()
	a := golden(t, auditVersion)
	data, err := os.ReadFile(a.path)
	must(t, err)
	must(t, os.WriteFile(a.path, bytes.Replace(data, fmt.Appendf(nil, `"v":%d`, auditVersion), []byte(`"v":9`), 1), 0o600))
	if n, err := a.Verify(soon(t)); n != 0 || !errors.Is(err, ErrAuditBroken) {
		t.Errorf("%d lines, %v", n, err)
	}
}
