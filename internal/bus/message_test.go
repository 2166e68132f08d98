package bus

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"belay/internal/event"
)

// What decode accepts is what a publisher would have sent for that event.
func FuzzDecode(f *testing.F) {
	d := newDraft("s1", "evt.agent.output.delta.text", sample(7), 1<<20)
	f.Add(Subject("s1"), "s1:7", "", d.payload)
	f.Add(Subject("s1"), "s1:7", "12", d.payload)
	f.Add(Subject("s1"), "s1:8", "-1", []byte(`{"seq":8}`))
	f.Add("belay.evt.", "", "", []byte(`null`))
	f.Fuzz(func(t *testing.T, subject, id, omitted string, data []byte) {
		header := nats.Header{headerMsgID: {id}}
		if omitted != "" {
			header.Set(HeaderOmitted, omitted)
		}
		m, err := decode(subject, header, data)
		if err != nil {
			return
		}
		if Subject(m.Session) != subject || messageID(m.Session, m.Event.Seq) != id || m.Omitted < 0 {
			t.Fatalf("subject %q id %q became %+v", subject, id, m)
		}
		if m.Omitted > 0 && m.Event.Data != nil {
			t.Fatalf("data omitted and present: %+v", m)
		}
		again := newDraft(m.Session, m.Name, m.Event, 64<<20)
		var msg nats.Msg
		again.fill(&msg)
		back, err := decode(msg.Subject, msg.Header, msg.Data)
		if err != nil {
			t.Fatalf("sent again: %v", err)
		}
		if back.Event.Seq != m.Event.Seq || back.Event.Type != m.Event.Type || back.Event.Turn != m.Event.Turn {
			t.Fatalf("sent again: %+v, was %+v", back, m)
		}
	})
}

func TestScratchMessageKeepsNothingOfTheLastOne(t *testing.T) {
	t.Parallel()
	var m nats.Msg
	draft{session: "a", name: "n", turn: "t1", seq: 1, omitted: 99, payload: []byte("x")}.fill(&m)
	draft{session: "b", name: "o", turn: "", seq: 2, payload: []byte("y")}.fill(&m)
	want := nats.Msg{
		Subject: "belay.evt.b", Data: []byte("y"),
		Header: nats.Header{
			"Nats-Msg-Id": {"b:2"}, HeaderEvent: {"o"}, HeaderSession: {"b"}, HeaderTurn: {""}, HeaderSeq: {"2"},
		},
	}
	if diff := cmp.Diff(want.Header, m.Header); diff != "" || m.Subject != want.Subject || string(m.Data) != "y" {
		t.Errorf("message %s %q, headers (-want +got):\n%s", m.Subject, m.Data, diff)
	}
}

func TestEveryCarriedEventHasAName(t *testing.T) {
	t.Parallel()
	names := busNames()
	for _, s := range event.Types() {
		if names[s.Type] != s.Bus {
			t.Errorf("%s is %q on the bus, want %q", s.Type, names[s.Type], s.Bus)
		}
	}
	if _, ok := names[event.LogGap]; ok {
		t.Error("log:gap is made for one reader, it must not be carried")
	}
}

func TestAnswersOfTheServer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data   string
		status string
		final  bool
		count  int
		err    error
	}{
		"progress":      {data: `{"type":"ack","seq":3,"msgs":100}`},
		"end":           {data: `{"stream":"S","seq":9,"batch":"1","count":5}`, final: true, count: 5},
		"refusal":       {data: `{"stream":"S","error":{"code":400,"err_code":10054,"description":"too large"}}`, final: true},
		"nobody there":  {status: "503", err: nats.ErrNoResponders},
		"not JSON":      {data: `{`, err: errAny},
		"nothing":       {err: errAny},
		"negative":      {data: `{"count":-1}`, err: errAny},
		"wrong type":    {data: `{"count":"many"}`, err: errAny},
		"unknown field": {data: `{"type":"gap","last_seq":1,"seq":2}`},
	} {
		m := &nats.Msg{Data: []byte(c.data), Header: nats.Header{}}
		if c.status != "" {
			m.Header.Set("Status", c.status)
		}
		a, err := parseAnswer(m)
		switch {
		case (err != nil) != (c.err != nil), c.err != nil && c.err != errAny && !errors.Is(err, c.err):
			t.Errorf("%s: error %v, want %v", name, err, c.err)
		case err == nil && (a.final() != c.final || a.Count != c.count):
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func TestLanesShareNoBatchID(t *testing.T) {
	t.Parallel()
	// The server tells batches apart by this id alone, whoever sends them.
	b := openBus(t, Options{})
	seen := map[string]bool{}
	for range 3 {
		l, err := newLane(b.nc)
		if err != nil {
			t.Fatal(err)
		}
		if seen[l.id] {
			t.Errorf("lane id %q is used twice", l.id)
		}
		seen[l.id] = true
		if err := l.close(); err != nil {
			t.Error(err)
		}
	}
}

// errAny stands for an error whose kind does not matter.
var errAny = errors.New("any")
