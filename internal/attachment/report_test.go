package attachment

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func refusals(n int) []Refusal {
	var list []Refusal
	for i := range n {
		list = append(list, Refusal{Path: fmt.Sprintf(`/p/C:\dir\f%d.png`, i), Code: NotFound, Reason: "file not found"})
	}
	return list
}

// Covers: attachment-resolver REQ-07
func TestWarning(t *testing.T) {
	t.Parallel()
	one := Item{Name: "ok.txt"}
	tests := []struct {
		name string
		r    Resolution
		want string
	}{
		{"nothing refused", Resolution{Items: []Item{one}}, ""},
		{"one of two", Resolution{Items: []Item{one}, Refused: []Refusal{{Path: "/x/tool.exe", Code: ExtensionNotAllowed, Reason: "no"}}},
			"1 of 2 attachments were refused and not part of this message:\ntool.exe: EXTENSION_NOT_ALLOWED: no"},
		{"the only one", Resolution{Refused: refusals(1)},
			"1 of 1 attachment was refused and not part of this message:\nf0.png: NOT_FOUND: file not found"},
		{"a name that forges a line", Resolution{Refused: []Refusal{{Path: "/x/a\nok.png: ACCEPTED: \u202egnp.exe\r", Code: NotFound, Reason: "r\ns"}}},
			"1 of 1 attachment was refused and not part of this message:\na␊ok.png: ACCEPTED: \ufffdgnp.exe␍: NOT_FOUND: r␊s"},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, tt.r.Warning()); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	for refused, last := range map[int]string{20: "f19.png: NOT_FOUND: file not found", 21: "and 1 more", 53: "and 33 more"} {
		lines := strings.Split(Resolution{Refused: refusals(refused)}.Warning(), "\n")
		if lines[len(lines)-1] != last || len(lines) > 22 || !strings.HasPrefix(lines[0], fmt.Sprint(refused)) {
			t.Errorf("%d refused: %d lines, first %q, last %q", refused, len(lines), lines[0], lines[len(lines)-1])
		}
	}
}

// Covers: attachment-resolver REQ-08
func TestFailure(t *testing.T) {
	t.Parallel()
	err := Failure(refusals(30))
	if err.Status != 400 || err.NextStep() == "" {
		t.Errorf("status %d, hint %q", err.Status, err.NextStep())
	}
	data, jsonErr := json.Marshal(err.Body())
	if jsonErr != nil {
		t.Fatal(jsonErr)
	}
	var got struct {
		Error struct {
			Type    string
			Message string
			Details struct {
				Category                string
				AttachmentErrors        []map[string]string
				RejectedAttachmentCount int
			}
		}
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	e := got.Error
	if e.Type != "ATTACHMENT_FAILURE" || e.Details.Category != "ALL_ATTACHMENTS_FAILED_NO_TEXT" || e.Details.RejectedAttachmentCount != 30 || len(e.Details.AttachmentErrors) != 30 {
		t.Errorf("got %s", data)
	}
	want := map[string]string{"path": `/p/C:\dir\f0.png`, "code": "NOT_FOUND", "reason": "file not found"}
	if diff := cmp.Diff(want, e.Details.AttachmentErrors[0]); diff != "" {
		t.Error(diff)
	}
	if want := "all 30 attachments were refused, and there is no message to send without them; the first is f0.png: file not found"; e.Message != want {
		t.Errorf("message %q", e.Message)
	}
	if got, want := UploadFailure(refusals(2)[1]).Error(), "the file was refused: f1.png: file not found"; !strings.Contains(got, want) {
		t.Errorf("an upload: %q", got)
	}
	if data, err := json.Marshal(Failure(nil).Body()); err != nil || !strings.Contains(string(data), `"attachmentErrors":[]`) {
		t.Errorf("none: %s, %v", data, err)
	}
}

func FuzzDisplayName(f *testing.F) {
	for _, s := range []string{"", "/", "/a/b.png", `C:\x\y.png`, "a\nb", "\xff\xfe", "/x/" + strings.Repeat("ü", 300) + ".jpeg", "\u202e", " . "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		name := DisplayName(path)
		if name == "" || len(name) > 255 || !utf8.ValidString(name) || strings.ContainsAny(name, "/\\\r\n\x00\x1b\u2028\u2029\u202e\u200b") {
			t.Errorf("%q became %q", path, name)
		}
		if again := DisplayName(name); again != name {
			t.Errorf("%q became %q and then %q", path, name, again)
		}
	})
}

// Any split into chunks gives the verdict of the whole, and for UTF-8 it is that
// of the standard library.
func FuzzTextCheck(f *testing.F) {
	f.Add([]byte("aé€😀"), []byte{1, 2, 3})
	f.Add([]byte("\xe2\x82"), []byte{1})
	f.Add([]byte("\xed\xa0\x80"), []byte{2, 1})
	f.Add([]byte("\xff\xfea\x00\x3d\xd8\x00\xde"), []byte{3})
	f.Add([]byte("\xf0\x9f\x98\x80\x80"), []byte{1, 1, 1, 1})
	f.Fuzz(func(t *testing.T, data, cuts []byte) {
		wantUTF8 := utf8.Valid(data) && !strings.Contains(string(data), "\x00")
		for _, charset := range []string{"", charsetUTF16LE, charsetUTF16BE} {
			whole, parts := runCheck(charset, data, nil), runCheck(charset, data, cuts)
			if whole != parts {
				t.Errorf("%q: in one piece %q, in pieces %q", charset, whole, parts)
			}
			if charset == "" && (whole == "") != wantUTF8 {
				t.Errorf("got %q, the standard library says %v", whole, wantUTF8)
			}
		}
	})
}

// runCheck feeds data in chunks of the sizes in cuts, then the rest.
func runCheck(charset string, data, cuts []byte) string {
	c := newTextCheck(charset)
	for _, cut := range cuts {
		n := min(int(cut), len(data))
		if _, err := c.Write(data[:n]); err != nil {
			return err.Error()
		}
		data = data[n:]
	}
	if _, err := c.Write(data); err != nil {
		return err.Error()
	}
	if err := c.Finish(); err != nil {
		return err.Error()
	}
	return ""
}
