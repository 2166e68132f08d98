package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// bench runs the command line in this process, in a home and a project of its own.
type bench struct {
	t            *testing.T
	home, folder string
	// env is what the environment has beside the home.
	env []string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return &bench{t: t, home: t.TempDir(), folder: t.TempDir()}
}

// run gives a command its stdin and returns its exit code, stdout and stderr.
func (b *bench) run(in string, args ...string) (code int, out, errs string) {
	b.t.Helper()
	var stdout, stderr bytes.Buffer
	env := append([]string{"BELAY_SCRIPTED_PACE=0", "BELAY_PROJECT=" + b.folder}, b.env...)
	for _, name := range []string{"CONFIG", "STATE", "CACHE"} {
		env = append(env, "XDG_"+name+"_HOME="+filepath.Join(b.home, name))
	}
	code = Run(b.t.Context(), args, strings.NewReader(in), &stdout, &stderr, env)
	return code, stdout.String(), stderr.String()
}

// write makes a file and returns its path.
func (b *bench) write(name, content string) string {
	b.t.Helper()
	path := filepath.Join(b.folder, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// What is not UTF-8 is refused before anything is sent: each wrong byte would become
// a U+FFFD that nobody wrote.
func TestTextIsUTF8(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	flow := b.write("flow.yaml", "id: x\nagents: [{id: a, instructions: hello}]\ntasks: [{id: t, agent: a, prompt: hi}]\n")
	for _, tt := range []struct {
		in         string
		args       []string
		says, hint string
	}{
		{"\xff", []string{"turn", "-"}, "the message on stdin is not UTF-8 text (byte 1)", "iconv -f LATIN1 -t UTF-8"},
		{"gr\xfc\xdfe", []string{"turn", "-"}, "the message on stdin is not UTF-8 text (byte 3)", "iconv -f LATIN1 -t UTF-8"},
		{"\xff\xfeh\x00i\x00", []string{"turn", "-"}, "the message on stdin is not UTF-8 text (byte 1)", "it is UTF-16; convert it with iconv -f UTF-16 -t UTF-8"},
		{"", []string{"turn", "gr\xfc\xdfe"}, `the argument "gr\xfc\xdfe" is not UTF-8 text (byte 3)`, "iconv"},
		{"", []string{"turn", "--delegate=\xff", "hi"}, "is not UTF-8 text", "iconv"},
		{"", []string{"session", "steer", "sess_1", "\xff"}, "is not UTF-8 text", "iconv"},
		{"", []string{"decision", "deny", "dec_1", "--note", "\xff"}, "is not UTF-8 text", "iconv"},
		{"", []string{"run", flow, "--input", "a=\xff"}, "is not UTF-8 text", "iconv"},
		{"", []string{"run", flow, "--input-file", b.write("latin1.json", "{\"a\": \"\xfc\"}")}, "the file is not UTF-8 text (byte 8)", "JSON object"},
		{"hello\ngr\xfc\xdfe\n", []string{"chat"}, "the line is not UTF-8 text (byte 3)", "iconv"},
		{"", []string{"turn", "--server", "http://127.0.0.1:1", "--token-file", b.write("token", "\xff\xff\xff"), "hi"}, "is not UTF-8 text", "iconv"},
	} {
		code, out, errs := b.run(tt.in, tt.args...)
		if code != ExitUsage || !strings.Contains(errs, tt.says) || !strings.Contains(errs, tt.hint) || strings.Contains(out+errs, "\ufffd") {
			t.Errorf("%q with %q on stdin: exit code %d\n%s%s", tt.args, tt.in, code, out, errs)
		}
	}
}

// A byte order mark is no part of what a person wrote.
func TestByteOrderMarks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const bom = "\ufeff"
	if code, out, errs := b.run(bom+"hello\n", "turn", "-"); code != ExitDone || strings.Contains(out, bom) || !strings.Contains(out, "hello") {
		t.Errorf("turn: exit code %d, %q\n%s", code, out, errs)
	}
	if code, out, errs := b.run(bom+"hello\n", "chat"); code != ExitDone || strings.Contains(out, bom) || !strings.Contains(out, "hello") {
		t.Errorf("chat: exit code %d, %q\n%s", code, out, errs)
	}
	for _, in := range []string{bom, bom + "\n", "\u200b", " \u2060\n"} {
		if code, _, errs := b.run(in, "turn", "-"); code != ExitUsage || !strings.Contains(errs, "there was no message on stdin") {
			t.Errorf("%q on stdin: exit code %d\n%s", in, code, errs)
		}
		if code, _, errs := b.run("", "turn", in); code != ExitUsage || !strings.Contains(errs, "the message is empty") {
			t.Errorf("the message %q: exit code %d\n%s", in, code, errs)
		}
	}
	flow := b.write("flow.yaml", bom+"id: x\ninput: {type: object, required: [a]}\nagents: [{id: a, instructions: hello}]\ntasks: [{id: t, agent: a, prompt: \"{{ .input.a }}\"}]\n")
	if code, out, errs := b.run("", "run", flow, "--input-file", b.write("input.json", bom+`{"a": "value"}`)); code != ExitDone || !strings.Contains(out, "value") {
		t.Errorf("run: exit code %d, %q\n%s", code, out, errs)
	}
	jsonFlow := b.write("flow.json", bom+`{"id": "x", "agents": [{"id": "a", "instructions": "hello"}], "tasks": [{"id": "t", "agent": "a", "prompt": "hi"}]}`)
	if code, _, errs := b.run("", "workflow", "check", jsonFlow); code != ExitDone {
		t.Errorf("workflow check: exit code %d\n%s", code, errs)
	}
	config := b.write("config.yaml", bom+"turn: {max_turns: 3}\n")
	if code, _, errs := b.run("", "config", "check", "--config", config); code != ExitDone {
		t.Errorf("config check: exit code %d\n%s", code, errs)
	}
}
