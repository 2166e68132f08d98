package lifecycle

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"belay/internal/fault"
)

var update = flag.Bool("update", false, "rewrite what testdata expects")

// TestTransitions plays the transitions in testdata: a request, the file before,
// and the file after, or the refusal. In a file named no-history the last line
// has no end.
//
// Covers: workspace 3.1, 3.3
func TestTransitions(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/transitions/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			before := string(archive.Files[1].Data)
			bare := strings.Contains(path, "no-history")
			if bare {
				before = strings.TrimSuffix(before, "\n")
			}
			request := parseRequest(t, string(archive.Files[0].Data))
			var got string
			result, err := Transition([]byte(before), request)
			if refused := strings.Contains(path, "refused"); refused != (err != nil) {
				t.Errorf("refused: %v", err)
			}
			if err != nil {
				got = refusal(err)
			} else {
				got = string(result.Data)
				if bare {
					if strings.HasSuffix(got, "\n") {
						t.Error("the last line got an end")
					}
					got += "\n"
				}
				if why := differs(Parse([]byte(before)), result, request); why != "" {
					t.Error(why)
				}
			}
			if *update {
				archive.Files = append(archive.Files[:2:2], txtar.File{Name: "after", Data: []byte(got)})
				if err := os.WriteFile(path, txtar.Format(archive), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(archive.Files) < 3 {
				t.Fatalf("got\n%s", got)
			}
			if diff := cmp.Diff(string(archive.Files[2].Data), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// refusal is an error as testdata has it.
func refusal(err error) string {
	var f *fault.Error
	if !errors.As(err, &f) {
		return ""
	}
	text := f.Error() + "\n"
	if problems, ok := f.Details["problems"].([]fault.Problem); ok {
		for _, p := range problems {
			text += p.Field + ": " + p.Message + "\n"
		}
	}
	return text
}

// parseRequest reads "name: value" lines; a value may have Go's escapes.
func parseRequest(t *testing.T, text string) Request {
	t.Helper()
	r := Request{Now: now}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		value, err := strconv.Unquote(`"` + strings.ReplaceAll(value, `"`, `\"`) + `"`)
		if err != nil {
			t.Fatal(err)
		}
		switch name {
		case "to":
			r.To = value
		case "actor":
			r.Actor = value
		case "approval":
			r.ApprovalSHA = value
		case "date":
			r.Date = value
		case "note":
			r.Note = value
		default:
			r.Metadata = append(r.Metadata, Field{strings.TrimPrefix(name, "metadata "), value})
		}
	}
	return r
}
