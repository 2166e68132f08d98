package supervisor

import (
	"bytes"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// plans draws any plan there can be.
func plans(t *rapid.T) *Plan {
	text, number := rapid.String(), rapid.Uint64()
	texts := rapid.SliceOfN(text, 0, 4)
	p := &Plan{
		Shell: text.Draw(t, "shell"), Command: text.Draw(t, "command"), Dir: text.Draw(t, "dir"), Env: texts.Draw(t, "env"),
		Loopback: rapid.Bool().Draw(t, "loopback"), Ports: rapid.SliceOfN(number, 0, 3).Draw(t, "ports"), Inside: rapid.Bool().Draw(t, "inside"), Processes: number.Draw(t, "processes"),
		Limits: rapid.SliceOfN(rapid.Make[Limit](), 0, 3).Draw(t, "limits"),
		Filter: rapid.SliceOfN(rapid.Make[syscall.SockFilter](), 0, 3).Draw(t, "filter"),
	}
	if rapid.Bool().Draw(t, "a user") {
		p.User = &User{number.Draw(t, "uid"), number.Draw(t, "gid")}
	}
	if rapid.Bool().Draw(t, "a tree") {
		p.Tree = &Tree{
			Read: texts.Draw(t, "read"), Write: texts.Draw(t, "write"), Devices: texts.Draw(t, "devices"), Masked: texts.Draw(t, "masked"),
			Links: rapid.SliceOfN(rapid.Make[Link](), 0, 3).Draw(t, "links"), Temp: text.Draw(t, "temp"),
		}
		if rapid.Bool().Draw(t, "an overlay") {
			o := rapid.Make[Overlay]().Draw(t, "overlay")
			p.Tree.Overlay = &o
		}
	}
	if rapid.Bool().Draw(t, "Landlock") {
		r := rapid.Make[Ruleset]().Draw(t, "ruleset")
		p.Landlock = &r
	}
	return p
}

// What one end sends is what the other receives, and no more is read.
func TestMessagesArrive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sent, said := plans(t), rapid.Make[Answer]().Draw(t, "answer")
		var pipe bytes.Buffer
		if err := Send(&pipe, sent); err != nil {
			t.Fatal(err)
		}
		if err := Send(&pipe, &said); err != nil {
			t.Fatal(err)
		}
		var got Plan
		var heard Answer
		if err := Receive(&pipe, &got); err != nil {
			t.Fatal(err)
		}
		if err := Receive(&pipe, &heard); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(sent, &got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("the plan (-sent +received):\n%s", diff)
		}
		if diff := cmp.Diff(said, heard); diff != "" {
			t.Errorf("the answer (-sent +received):\n%s", diff)
		}
	})
}

// What is not a message is refused, and what is one has one form.
func FuzzReceive(f *testing.F) {
	for _, p := range []*Plan{{}, {Shell: "/bin/sh", Env: []string{"A=b"}, Tree: &Tree{Temp: "/t"}, Landlock: &Ruleset{PathRules: []PathRule{{"/usr", 1}}}}} {
		var b bytes.Buffer
		if err := Send(&b, p); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Add(bytes.Repeat([]byte{0xff}, 64))
	f.Fuzz(func(t *testing.T, data []byte) {
		var p Plan
		r := bytes.NewReader(data)
		if Receive(r, &p) != nil {
			return
		}
		var again bytes.Buffer
		if err := Send(&again, &p); err != nil {
			t.Fatal(err)
		}
		if read := data[:len(data)-r.Len()]; !bytes.Equal(again.Bytes(), read) {
			t.Errorf("%x was read and is sent as %x", read, again.Bytes())
		}
	})
}

func TestParseStat(t *testing.T) {
	t.Parallel()
	for stat, want := range map[string]struct {
		parent  int
		running bool
	}{
		"12 (bash) S 7 12 12 0":     {7, true},
		"12 (a) b) (c) R 31 12":     {31, true},
		"12 (bash) Z 7 12":          {7, false},
		"12 (bash) X 7 12":          {7, false},
		"12 (S 9 1 1) S 4194304 12": {4194304, true},
		"12 (bash":                  {0, false},
		"12 (bash)":                 {0, false},
		"12 (bash) S ":              {0, false},
		"12 (bash) S x":             {0, false},
		"":                          {0, false},
	} {
		parent, running := parseStat([]byte(stat))
		if running != want.running || running && parent != want.parent {
			t.Errorf("%q: %d %v, want %+v", stat, parent, running, want)
		}
	}
}
