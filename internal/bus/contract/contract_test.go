package contract

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"belay/internal/fault"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// samples are one full message of each type.
func samples() []Payload {
	said := AdapterMessage{
		Platform: "discord", ChannelID: "1", ChannelName: "plans", MessageID: "2", UserID: "3", UserName: "Ann", Text: "look: \u202e<b>", Time: noon,
		Raw: &Raw{Discord: &RawDiscord{GuildID: "4", MentionsBot: true, Attachments: []DiscordAttachment{
			{ID: "5", URL: "https://cdn.discordapp.com/attachments/1/5/a.png", Filename: "a.png", MIMEType: "image/png", Bytes: 10},
		}}},
	}
	failed := &Failure{Code: "OVERLOADED", Message: "too much", Hint: "wait"}
	file := File{
		SHA256: strings.Repeat("ab", 32), Bytes: 3, MIMEType: "text/plain; charset=utf-8", Filename: "a b.txt",
		DataBase64: base64.StdEncoding.EncodeToString([]byte("abc")), ToolCallID: "call_1",
	}
	question := Decision{
		DecisionID: "d1", TurnID: "turn_1", ToolCallID: "call_1", Asks: AsksChanges, Tool: "bash", Summary: "make", Reason: "it changed 1 file",
		Persona: "HELP", Command: "make", Output: "exit code 0", Files: []ChangedFile{{Path: ".git/hooks/x", Class: ClassRunsByItself, Reason: "git runs it"}},
		FileCount: 3, Notes: []string{"1 commit on main"}, Diff: "+x\n", Session: true, ExpiresAt: noon, Time: noon,
	}
	session := Session{SessionID: "s-1", ProjectRoot: "/p", Persona: "HELP", Mode: "direct", CreatedAt: noon, UpdatedAt: noon}
	return []Payload{
		&AdapterMessageCreated{said},
		&AdapterMessageUpdated{said},
		&AdapterMessageDeleted{Platform: "discord", ChannelID: "1", MessageID: "2", Time: noon},
		&RequestMessage{Queue: QueuePrompt, Text: "build it", Origin: &Origin{Platform: "discord", UserID: "3"}, Mode: "direct"},
		&LifecycleChanged{State: StateFailed, TurnID: "turn_1", Error: failed, Time: noon},
		&Reanchor{Mode: QueueSteer, ReplyTo: "7"},
		&TextDelta{Delta: "hel"},
		&ReasoningDelta{Delta: "hm"},
		&ToolCall{ToolCallID: "call_1", Name: "bash", Status: ToolEnd, Display: "make", Error: "exit code 2"},
		&InputBinary{file},
		&ResponseBinary{File: file, Of: 2},
		&Warning{Code: "RUNS_ON_REQUEST", Message: "1 file", Paths: []string{"Makefile"}},
		&ResponseText{FinalText: "done", State: StateFailed, Error: failed, Note: "1 call refused"},
		&DecisionOpened{Decision: question, After: 3},
		&DecisionClosed{DecisionID: "d1", TurnID: "turn_1", Verdict: VerdictDeny, By: "timeout", Time: noon},
		&DecisionAnswer{DecisionID: "d1", Verdict: VerdictAllowSession, By: "discord:3", Only: []string{"a"}},
		&DecisionAnswered{DecisionID: "d1", Verdict: VerdictAllow, By: "discord:3", Time: noon},
		&SessionCreate{ProjectRoot: "/p", Persona: "HELP"},
		&SessionCreated{session},
		&SessionStatus{},
		&SessionState{Session: session, Running: &RunningRequest{Request: "discord:1:2", TurnID: "turn_1", Since: noon}, Queued: []string{"discord:1:3"}, Open: []Decision{question}},
		&SessionList{ProjectRoot: "/p", Limit: 10},
		&SessionPage{Sessions: []Session{session}, More: true},
		&PersonaList{},
		&Personas{Personas: []Persona{{ID: "HELP", Description: "helps"}}},
		&BlobCopy{SHA256: file.SHA256},
		&BlobCopied{Object: "s-1/" + file.SHA256, Bytes: 3},
		&BlobRelease{Object: "s-1/" + file.SHA256},
		&BlobReleased{},
		&LinkRenew{ID: "discord:1:2:3"},
		&LinkRenewed{URL: "https://cdn.discordapp.com/a?hm=1"},
		failed,
	}
}

// envelope is one that fits messages of type t.
func envelope(t Type) Envelope {
	e := Envelope{Request: "discord:1:2", Session: "s-1", Client: "discord"}
	if specs[t].Stream != "" {
		e.ID = "m1"
	}
	if specs[t].Scope == PerRequest {
		e.Seq = 4
	}
	return e
}

func TestMessagesRoundTrip(t *testing.T) {
	t.Parallel()
	list := samples()
	if len(list) != len(Specs()) {
		t.Fatalf("%d samples of %d messages", len(list), len(Specs()))
	}
	for i, s := range Specs() {
		p := list[i]
		if TypeOf(p) != s.Type || TypeOf(s.Sample()) != s.Type {
			t.Errorf("sample %d is %s and makes %s, want %s", i, TypeOf(p), TypeOf(s.Sample()), s.Type)
			continue
		}
		w, err := Encode(envelope(s.Type), p)
		if err != nil {
			t.Errorf("%s: %v", s.Type, err)
			continue
		}
		got, err := Decode(w)
		if diff := cmp.Diff(Message{envelope(s.Type), p}, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", s.Type, err, diff)
		}
		if filter := s.Filter(); !covers(filter, w.Subject) {
			t.Errorf("%s: the filter %q does not cover %q", s.Type, filter, w.Subject)
		}
	}
}

// covers reports whether a filter of NATS covers a subject.
func covers(filter, subject string) bool {
	f, s := strings.Split(filter, "."), strings.Split(subject, ".")
	for i := range f {
		if len(f) != len(s) || f[i] != "*" && f[i] != s[i] {
			return false
		}
	}
	return true
}

// No message of one stream may reach another, or be taken for a question.
func TestSubjectsDoNotOverlap(t *testing.T) {
	t.Parallel()
	owner := map[string]string{}
	for _, s := range Specs() {
		f := s.Filter()
		if f == "" {
			continue
		}
		if o, seen := owner[f]; seen && o != s.Stream {
			t.Errorf("%s is a subject of %q and of %q", f, o, s.Stream)
		}
		owner[f] = s.Stream
	}
	for a, stream := range owner {
		for b, other := range owner {
			if stream != other && (covers(a, b) || covers(b, a)) {
				t.Errorf("%s (%s) and %s (%s) overlap", a, stream, b, other)
			}
		}
	}
}

func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	prompt := func() *RequestMessage { return &RequestMessage{Queue: QueuePrompt, Text: "x"} }
	for name, c := range map[string]struct {
		change func(*Envelope)
		p      Payload
		field  string
	}{
		"no request id":         {func(e *Envelope) { e.Request = "" }, prompt(), "request"},
		"a dot in a request id": {func(e *Envelope) { e.Request = "a.b" }, prompt(), "request"},
		"a wildcard":            {func(e *Envelope) { e.Session = "*" }, prompt(), "session"},
		"no producer id":        {func(e *Envelope) { e.ID = "" }, prompt(), "id"},
		"a line break in an id": {func(e *Envelope) { e.ID = "a\r\nb" }, prompt(), "id"},
		"a position":            {func(e *Envelope) { e.Seq = 1 }, prompt(), "seq"},
		"no text":               {nil, &RequestMessage{Queue: QueueSteer}, "text"},
		"no such queue":         {nil, &RequestMessage{Queue: "later", Text: "x"}, "queue"},
		"a target of a prompt":  {nil, &RequestMessage{Queue: QueuePrompt, Text: "x", Target: "r"}, "target"},
		"too much text":         {nil, &RequestMessage{Queue: QueuePrompt, Text: strings.Repeat("x", MaxText+1)}, "text"},
		"no UTF-8":              {nil, &RequestMessage{Queue: QueuePrompt, Text: "\xff"}, "text"},
		"a signed link": {nil, &AdapterMessageCreated{AdapterMessage{
			Platform: "discord", ChannelID: "1", MessageID: "2", UserID: "3", Time: noon,
			Raw: &Raw{Discord: &RawDiscord{Attachments: []DiscordAttachment{{ID: "1", URL: "https://cdn.discordapp.com/a?hm=1"}}}},
		}}, "raw.discord.attachments.url"},
		"a path as a name": {func(e *Envelope) { e.Seq = 1 }, &ResponseBinary{File: File{
			SHA256: strings.Repeat("a", 64), MIMEType: "a/b", Filename: "../x",
		}, Of: 1}, "filename"},
		"large bytes inline": {func(e *Envelope) { e.Seq = 1 }, &ResponseBinary{File: File{
			SHA256: strings.Repeat("a", 64), MIMEType: "a/b", Filename: "x", Bytes: MaxInline + 1,
			DataBase64: base64.StdEncoding.EncodeToString(make([]byte, MaxInline+1)),
		}, Of: 1}, "dataBase64"},
		"failed without reason": {nil, &LifecycleChanged{State: StateFailed, Time: noon}, "error"},
	} {
		e := envelope(TypeOf(c.p))
		if c.change != nil {
			c.change(&e)
		}
		_, err := Encode(e, c.p)
		f := fault.From(err)
		if !fault.Is(err, fault.InvalidRequest) || f.Details["field"] != c.field {
			t.Errorf("%s: %v, want one about %s", name, err, c.field)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Wire)
		want   string
	}{
		"an unknown type":    {func(w *Wire) { w.Header[HeaderType] = []string{"cmd.x"} }, `no message "cmd.x"`},
		"a newer version":    {func(w *Wire) { w.Header[HeaderVersion] = []string{"2"} }, `version "2"`},
		"an unknown member":  {func(w *Wire) { w.Data = []byte(`{"queue":"prompt","text":"x","dataBase64":""}`) }, "unknown field"},
		"two objects":        {func(w *Wire) { w.Data = append(w.Data, w.Data...) }, "something follows"},
		"null":               {func(w *Wire) { w.Data = []byte(`null`) }, "not a JSON object"},
		"no UTF-8":           {func(w *Wire) { w.Data = []byte("{\"queue\":\"prompt\",\"text\":\"\xff\"}") }, "not UTF-8"},
		"another subject":    {func(w *Wire) { w.Subject += "x" }, "came on the subject"},
		"a position of zero": {func(w *Wire) { w.Header[HeaderSeq] = []string{"0"} }, `position "0"`},
		"more than allowed":  {func(w *Wire) { w.Data = make([]byte, 1<<20) }, "the limit is"},
	} {
		w, err := Encode(envelope(TypeRequestMessage), &RequestMessage{Queue: QueuePrompt, Text: "x"})
		if err != nil {
			t.Fatal(err)
		}
		c.change(&w)
		if _, err := Decode(w); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", name, err, c.want)
		}
	}
}

// Whatever Decode accepts, Encode makes again, and it means the same.
func FuzzDecode(f *testing.F) {
	for i, p := range samples() {
		w, err := Encode(envelope(TypeOf(p)), p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(i, "m1", "discord:1:2", "s-1", "discord", int64(4), w.Data)
	}
	f.Fuzz(func(t *testing.T, i int, id, request, session, client string, seq int64, data []byte) {
		list := Specs()
		s := list[uint(i)%uint(len(list))]
		w := Wire{Data: data, Subject: s.Subject(Envelope{Session: session, Request: request, Client: client}), Header: map[string][]string{
			HeaderType: {string(s.Type)}, HeaderVersion: {"1"}, HeaderID: {id}, HeaderRequest: {request}, HeaderSession: {session}, HeaderClient: {client},
		}}
		if seq != 0 {
			w.Header[HeaderSeq] = []string{fmt.Sprint(seq)}
		}
		m, err := Decode(w)
		if err != nil {
			return
		}
		again, err := Encode(m.Envelope, m.Payload)
		if fault.Is(err, fault.RequestTooLarge) {
			return // escapes that the first form did without
		}
		if err != nil {
			t.Fatalf("Encode refuses what Decode took: %v", err)
		}
		back, err := Decode(again)
		if diff := cmp.Diff(m, back); diff != "" || err != nil {
			t.Fatalf("%v (-first +second):\n%s", err, diff)
		}
	})
}
