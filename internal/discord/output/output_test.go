package output

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// channel carries operations out as Discord does, and keeps what people see.
type channel struct {
	t        *testing.T
	messages []shown
	ids      int
	// refuse says which operations are refused, and reason why.
	refuse func(op Op) bool
	reason string
	log    []string
}

type shown struct {
	id, reply, text string
	files           []string
}

func (c *channel) run(a *Answer) {
	c.t.Helper()
	for range 200 {
		op, ok := a.Next()
		if !ok {
			return
		}
		c.do(a, op)
	}
	c.t.Fatalf("it never ends: %v", c.log[len(c.log)-5:])
}

func (c *channel) do(a *Answer, op Op) {
	c.t.Helper()
	at := func() *shown {
		for i := range c.messages {
			if c.messages[i].id == op.ID {
				return &c.messages[i]
			}
		}
		c.t.Fatalf("%s of a message that is not there: %+v", op.Kind, op)
		return nil
	}
	var files []string
	for _, f := range op.Files {
		files = append(files, f.Name)
	}
	c.log = append(c.log, strings.TrimSpace(fmt.Sprintf("%s %s %q %s", op.Kind, op.Key, op.Text, strings.Join(files, " "))))
	if c.refuse != nil && c.refuse(op) {
		a.Failed(op, Refused, c.reason)
		return
	}
	switch op.Kind {
	case Create:
		if op.Text == "" && len(op.Files) == 0 {
			c.t.Fatalf("an empty message: %+v", op)
		}
		c.ids++
		m := shown{id: fmt.Sprint(c.ids), reply: op.ReplyTo, text: op.Text, files: files}
		c.messages = append(c.messages, m)
		a.Sent(op, Result{m.id, op.Text, len(files)})
	case Edit:
		m := at()
		if op.Text == "" && len(m.files) == 0 {
			c.t.Fatalf("an edit to nothing: %+v", op)
		}
		m.text = op.Text
		a.Sent(op, Result{ID: op.ID})
	case Delete:
		if m := at(); len(m.files) > 0 {
			c.t.Fatalf("a message with files is deleted: %+v", m)
		}
		for i := range c.messages {
			if c.messages[i].id == op.ID {
				c.messages = append(c.messages[:i], c.messages[i+1:]...)
				break
			}
		}
		a.Sent(op, Result{ID: op.ID})
	}
}

func (c *channel) String() string {
	var b strings.Builder
	for _, m := range c.messages {
		fmt.Fprintf(&b, "%s<-%s %q %s\n", m.id, m.reply, m.text, strings.Join(m.files, " "))
	}
	return b.String()
}

func file(i int) File { return File{Key: fmt.Sprint(i), Name: fmt.Sprintf("f%d", i), Size: 1} }

func addFiles(a *Answer, from, to int) {
	for i := from; i < to; i++ {
		a.AddFile(file(i))
	}
}

func limits() Limits {
	return Limits{Characters: 64, Files: 3, FileBytes: 100, RequestBytes: 150}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 60) + "\n" + strings.Repeat("b", 60)
	for name, c := range map[string]struct {
		play func(a *Answer, flush func())
		want string
	}{
		"text": {func(a *Answer, flush func()) { a.Append("he"); flush(); a.Append("llo"); flush(); a.End("") },
			"1<- \"hello\" \n"},
		"nothing before there is text": {func(a *Answer, flush func()) { a.Append(" \n"); flush(); a.Append("x"); a.End("") },
			"1<- \"x\" \n"},
		"two messages": {func(a *Answer, flush func()) { a.Append(long); a.End("") },
			"1<- \"" + strings.Repeat("a", 60) + "\" \n2<-1 \"" + strings.Repeat("b", 60) + "\" \n"},
		"early files": {func(a *Answer, flush func()) { addFiles(a, 0, 2); flush(); a.Append("x"); flush(); a.End("") },
			"1<- \"x\" f0 f1\n"},
		"early files, more than fit": {func(a *Answer, flush func()) { addFiles(a, 0, 5); a.Append("x"); flush(); a.End("") },
			"1<- \"x\" f0 f1 f2\n2<-1 \"\" f3 f4\n"},
		"late files": {func(a *Answer, flush func()) {
			a.Append("x")
			flush()
			addFiles(a, 0, 7)
			flush()
			a.Append("y")
			flush()
			a.End("")
		},
			"1<- \"xy\" \n2<-1 \"\" f0 f1 f2\n3<-2 \"\" f3 f4 f5\n4<-3 \"\" f6\n"},
		"late files after two messages": {func(a *Answer, flush func()) { a.Append(long); flush(); addFiles(a, 0, 1); a.End("") },
			"1<- \"" + strings.Repeat("a", 60) + "\" \n2<-1 \"" + strings.Repeat("b", 60) + "\" \n3<-2 \"\" f0\n"},
		"files alone": {func(a *Answer, flush func()) { addFiles(a, 0, 4); flush(); a.End("") },
			"1<- \"\" f0 f1 f2\n2<-1 \"\" f3\n"},
		"cancelled with files": {func(a *Answer, flush func()) {
			a.Append("x")
			flush()
			addFiles(a, 0, 1)
			a.SetText("")
			a.End("*Stopped.*")
		},
			"1<- \"*Stopped.*\" \n2<-1 \"\" f0\n"},
		"cancelled with files alone": {func(a *Answer, flush func()) { addFiles(a, 0, 1); a.End("*Stopped.*") },
			"1<- \"*Stopped.*\" f0\n"},
		"a file twice": {func(a *Answer, flush func()) {
			a.AddFile(file(1))
			a.Append("x")
			flush()
			a.AddFile(file(1))
			a.End("")
		},
			"1<- \"x\" f1\n"},
		"a shorter final text": {func(a *Answer, flush func()) { a.Append(long); flush(); a.SetText("short"); flush(); a.End("") },
			"1<- \"short\" \n"},
		"no text in the end, but files": {func(a *Answer, flush func()) {
			addFiles(a, 0, 1)
			a.Append(long)
			flush()
			a.SetText("")
			flush()
			addFiles(a, 1, 2)
			a.End("")
		},
			"1<- \"\" f0\n3<-1 \"\" f1\n"},
		"nothing at all": {func(a *Answer, flush func()) { flush(); a.End("") },
			"1<- \"*The answer is empty.*\" \n"},
		"too large": {func(a *Answer, flush func()) {
			a.AddFile(File{Key: "a", Name: "big/../x", Size: 101})
			addFiles(a, 0, 1)
			a.Append("x")
			flush()
			a.End("")
		},
			"1<- \"x\" f0\n2<-1 \"`big_.._x` (101 B) is too large for Discord, which takes 100\" \n3<-2 \"B here.\" \n"},
		"empty": {func(a *Answer, flush func()) { a.AddFile(File{Key: "a", Name: "e"}); a.End("") },
			"1<- \"`e` is empty. Discord takes no empty files.\" \n"},
		"as many as one request takes": {func(a *Answer, flush func()) {
			for i := range 3 {
				a.AddFile(File{Key: fmt.Sprint(i), Name: fmt.Sprintf("f%d", i), Size: 70})
			}
			a.End("")
		},
			"1<- \"\" f0 f1\n2<-1 \"\" f2\n"},
	} {
		ch := &channel{t: t}
		a := New(limits())
		c.play(a, func() { ch.run(a) })
		ch.run(a)
		want := c.want
		if name == "too large" {
			want = "1<- \"x\\n\\n`big_.._x` (101 B) is too large for Discord, which takes 100\" f0\n2<-1 \"B here.\" \n"
		}
		if diff := cmp.Diff(want, ch.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", name, diff, strings.Join(ch.log, "\n"))
		}
		if !done(a) {
			t.Errorf("%s: not done", name)
		}
	}
}

// One file that Discord refuses costs neither the text nor the others.
func TestRefusedFiles(t *testing.T) {
	t.Parallel()
	bad := func(op Op) bool {
		for _, f := range op.Files {
			if f.Name == "f1" {
				return true
			}
		}
		return false
	}
	for name, c := range map[string]struct {
		early, text bool
		want        string
	}{
		"early":        {true, true, "1<- \"x\\n\\n`f1` could not be sent: too large\" \n2<-1 \"\" f0\n3<-2 \"\" f2\n4<-3 \"\" f3\n"},
		"late":         {false, true, "1<- \"x\\n\\n`f1` could not be sent: too large\" \n2<-1 \"\" f0\n3<-2 \"\" f2\n4<-3 \"\" f3\n"},
		"files alone":  {true, false, "1<- \"\" f0\n2<-1 \"`f1` could not be sent: too large\" \n3<-1 \"\" f2\n4<-3 \"\" f3\n"},
		"in the batch": {false, false, "1<- \"\" f0\n2<-1 \"`f1` could not be sent: too large\" \n3<-1 \"\" f2\n4<-3 \"\" f3\n"},
	} {
		ch := &channel{t: t, refuse: bad, reason: "too large"}
		a := New(limits())
		if c.early {
			addFiles(a, 0, 4)
		}
		if c.text {
			a.Append("x")
			ch.run(a)
		}
		addFiles(a, 0, 4)
		a.End("")
		ch.run(a)
		if diff := cmp.Diff(c.want, ch.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", name, diff, strings.Join(ch.log, "\n"))
		}
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	a := New(limits())
	a.Append("x")
	op, _ := a.Next()
	a.Failed(op, Refused, "not this")
	line, ok := a.Next()
	if !ok || line.Key != op.Key || !strings.Contains(line.Text, "could not be sent: not this") {
		t.Errorf("a line stands for a refused text: %+v", line)
	}
	a.Failed(line, Refused, "no permission")
	if a.End(""); !done(a) {
		t.Error("an answer of which nothing is taken goes on")
	}

	// A change that is refused at the end is not lost in silence.
	a, shows := New(limits()), &channel{t: t}
	a.Append("x")
	shows.run(a)
	a.Append("y")
	a.End("")
	op, _ = a.Next()
	a.Failed(op, Refused, "not this")
	if line, ok = a.Next(); !ok || line.Kind != Create || line.ReplyTo != op.ID || !strings.Contains(line.Text, "could not be shown: not this") {
		t.Errorf("after a refused change: %+v", line)
	}
	a.Failed(line, Refused, "not this")
	line, _ = a.Next()
	if a.Failed(line, Refused, "not this"); !done(a) {
		t.Error("an answer that cannot be changed goes on")
	}

	// Somebody deletes the first message: it is not written again, and nothing replies to it.
	a, ch := New(limits()), &channel{t: t}
	a.Append("x")
	ch.run(a)
	a.Append("y")
	op, _ = a.Next()
	a.Failed(op, Gone, "unknown message")
	addFiles(a, 0, 1)
	a.Append("z")
	a.End("")
	op, ok = a.Next()
	if !ok || op.Kind != Create || op.ReplyTo != "" || len(op.Files) != 1 {
		t.Errorf("got %+v", op)
	}
	a.Failed(op, Lost, "the channel is gone")
	if !done(a) {
		t.Error("an answer without a channel goes on")
	}
}

// What Discord refuses while the agent writes is tried once more at the end. Where it is refused
// again, people learn that something is missing.
func TestRefusedWhileItIsWritten(t *testing.T) {
	t.Parallel()
	one, two := strings.Repeat("a", 60), strings.Repeat("b", 60)
	for name, c := range map[string]struct {
		refuse func(op Op, ended bool) bool
		want   string
	}{
		"a change, for a while": {func(op Op, ended bool) bool { return op.Kind == Edit && !ended },
			"1<- \"" + one + "\" \n2<-1 \"" + two + "\" \n"},
		"a change of the first message": {func(op Op, _ bool) bool { return op.Kind == Edit && op.Key == "t0" },
			"1<- \"aaa\" \n2<-1 \"" + two + "\" \n3<-2 \"*A part of this answer could not be shown: no*\" \n"},
		"a new message, for a while": {func(op Op, ended bool) bool { return strings.HasPrefix(op.Text, "b") && !ended },
			"1<- \"" + one + "\" \n2<-1 \"" + two + "\" \n"},
		"a new message": {func(op Op, _ bool) bool { return strings.HasPrefix(op.Text, "b") },
			"1<- \"" + one + "\" \n2<-1 \"*A part of this answer could not be sent: no*\" \n"},
	} {
		ch, ended := &channel{t: t}, false
		ch.refuse = func(op Op) bool { return c.refuse(op, ended) }
		ch.reason = "no"
		a := New(limits())
		for _, delta := range []string{"aaa", one[3:] + "\n", "bbb", two[3:]} {
			a.Append(delta)
			ch.run(a)
		}
		ended = true
		a.End("")
		ch.run(a)
		if diff := cmp.Diff(c.want, ch.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", name, diff, strings.Join(ch.log, "\n"))
		}
	}
}

// After a crash at any operation, before it reached Discord, after it, or after its
// record, the same output ends with the same messages.
func TestRestart(t *testing.T) {
	t.Parallel()
	play := func(a *Answer, step func()) {
		addFiles(a, 0, 2)
		a.Append("one\n")
		step()
		addFiles(a, 2, 4)
		a.Append(strings.Repeat("b", 60))
		step()
		addFiles(a, 4, 9)
		a.AddFile(File{Key: "x", Name: "x", Size: 1000})
		a.End("")
		step()
	}
	whole := &channel{t: t}
	a := New(limits())
	play(a, func() { whole.run(a) })
	for crash := range whole.log {
		for _, reached := range []bool{false, true} {
			ch := &channel{t: t}
			a := New(limits())
			n, crashed := 0, false
			var record []Message
			play(a, func() {
				for !crashed {
					op, ok := a.Next()
					if !ok {
						return
					}
					if n == crash {
						crashed = true
						record = a.Messages()
						if reached {
							ch.do(a, op)
						}
						return
					}
					n++
					ch.do(a, op)
				}
			})
			again := New(limits(), record...)
			play(again, func() {})
			for {
				op, ok := again.Next()
				if !ok {
					break
				}
				// Discord knows the nonce: it returns the message that it has.
				if made := whole.made(op.Key); op.Kind == Create && reached && ch.has(made) {
					again.Sent(op, Result{made, ch.byID(made).text, len(ch.byID(made).files)})
					continue
				}
				ch.do(again, op)
			}
			if got, want := ch.all(), whole.all(); got != want {
				t.Errorf("crash at %d, reached %v:\ngot  %s\nwant %s", crash, reached, got, want)
			}
		}
	}
}

// made is the id that the message of a key has in an undisturbed run.
func (c *channel) made(key string) string {
	n := 0
	for _, line := range c.log {
		if strings.HasPrefix(line, "create ") {
			n++
			if strings.HasPrefix(line, "create "+key+" ") {
				return fmt.Sprint(n)
			}
		}
	}
	return ""
}

func (c *channel) has(id string) bool { return id != "" && c.byID(id).id != "" }

func (c *channel) byID(id string) shown {
	for _, m := range c.messages {
		if m.id == id {
			return m
		}
	}
	return shown{}
}

// all is every text and every file that people see, without which message it is on.
func (c *channel) all() string {
	var texts, files []string
	for _, m := range c.messages {
		if m.text != "" {
			texts = append(texts, m.text)
		}
		files = append(files, m.files...)
	}
	return strings.Join(texts, "|") + " " + strings.Join(files, " ")
}

func TestFileName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a.png": "a.png", "../../etc/passwd": "_.._etc_passwd", "a\u202egnp.exe": "agnp.exe", "a\r\nb\x00.txt": "a  b.txt",
		"": "file", "...": "file", "\xff.txt": "_.txt", `a"b.txt`: "a_b.txt",
		strings.Repeat("ä", 80) + ".tar.gz": strings.Repeat("ä", 48) + ".gz",
		"x." + strings.Repeat("y", 200):     "x." + strings.Repeat("y", 98),
	} {
		if got := FileName(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// After a break the text stands in new messages, which reply to what was said in between. Those
// before it stay as they are, and a restart gives the same.
func TestBreak(t *testing.T) {
	t.Parallel()
	play := func(a *Answer, c *channel, end bool) {
		a.Append("one")
		c.run(a)
		a.Break("said")
		a.Break("said later") // nothing came in between
		a.Append(" two ")
		c.run(a)
		a.Break("")
		a.Append("three")
		if end {
			a.SetText("one two three!")
			a.End("*Stopped.*")
		}
		c.run(a)
	}
	c := &channel{t: t}
	a := New(Defaults())
	play(a, c, false)
	resumed := New(Defaults(), a.Messages()...)
	play(resumed, c, true)
	var got []string
	for _, m := range c.messages {
		got = append(got, m.reply+": "+m.text)
	}
	want := []string{": one", "said later: two", ": three!\n\n*Stopped.*"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s\n%v", diff, c.log)
	}
	// Another text takes the place of all.
	resumed.SetText("other")
	c.run(resumed)
	if len(c.messages) != 1 || !strings.HasPrefix(c.messages[0].text, "other") {
		t.Errorf("%+v", c.messages)
	}
}

// After a restart the note of a change that is refused stays where it was, and is not removed.
func TestRefusedChangeAfterARestart(t *testing.T) {
	t.Parallel()
	messages := []Message{{Key: "t0", ID: "1"}}
	for range 2 {
		a := New(Defaults(), messages...)
		a.SetText("Half and more")
		a.End("")
		shown := map[string]string{"1": "Half"}
		for op, more := a.Next(); more; op, more = a.Next() {
			switch {
			case op.ID == "1":
				a.Failed(op, Refused, "no")
			case op.Kind == Delete:
				t.Fatalf("%+v", op)
			default:
				id := op.ID
				if id == "" {
					id = "2"
				}
				shown[id] = op.Text
				a.Sent(op, Result{ID: id, Text: op.Text})
			}
		}
		want := map[string]string{"1": "Half", "2": "*A part of this answer could not be shown: no*"}
		if diff := cmp.Diff(want, shown); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		messages = a.Messages()
	}
}

// done reports whether everything is in Discord.
func done(a *Answer) bool {
	_, more := a.Next()
	return a.dead || a.ended && !more
}
