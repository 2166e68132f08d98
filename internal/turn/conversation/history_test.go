package conversation

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"belay/internal/attachment"
	"belay/internal/model"
	"belay/internal/model/scripted"
	"belay/internal/session"
)

// script makes a transcript of any shape from bytes: turns that never end,
// answers without turns, results without calls, ids that come twice.
func script(data []byte) []session.Entry {
	next := func() byte {
		if len(data) == 0 {
			return 0
		}
		b := data[0]
		data = data[1:]
		return b
	}
	var entries []session.Entry
	turn := 0
	for len(data) > 0 && len(entries) < 200 {
		e := session.Entry{Turn: fmt.Sprint("turn-", turn)}
		switch b := next(); b % 10 {
		case 0:
			turn++
			e.Kind, e.Turn, e.Message = session.EntryTurn, fmt.Sprint("turn-", turn), words(next())
			if next()%8 == 0 {
				e.Attachments = []attachment.Item{{SHA256: "x", Kind: attachment.KindText}}
			}
		case 1, 2:
			e.Kind = session.EntryAssistant
		case 3:
			e.Kind = session.EntryTools
		case 4:
			e.Kind = session.EntryRequest
		case 5:
			e.Kind = session.EntryEnd
		case 6:
			e.Kind, e.Message, e.Warning = session.EntryInput, words(next()), words(next())
			if next()%8 == 0 {
				e.Attachments = []attachment.Item{{SHA256: "x", Kind: attachment.KindText}}
			}
		case 7:
			e.Kind, e.Summary, e.Through, e.Rounds = session.EntrySummary, words(next()), fmt.Sprint("turn-", next()%8), int(int8(next()))
			if next()%8 == 0 {
				e.Agent = "c"
			}
		case 8: // of any turn, as undo is
			e.Kind, e.Turn = session.EntryUndo, fmt.Sprint("turn-", next()%8)
		case 9:
			e.Kind, e.Changes = session.EntryIntent, []session.Change{{Call: "a", Path: words(next())}}
		}
		if next()%16 == 0 {
			e.Turn = "turn-1" // of another place
		}
		for range next() % 4 {
			e.Blocks = append(e.Blocks, block(next(), next()))
		}
		entries = append(entries, e)
	}
	return entries
}

func words(b byte) string { return []string{"", " \n", "words", "more words"}[b%4] }

func block(kind, b byte) session.Block {
	id := []string{"", "a", "b", "c"}[b%4]
	switch kind % 5 {
	case 0:
		return session.Block{Type: session.BlockText, Text: words(b)}
	case 1:
		return session.Block{Type: session.BlockThinking, Text: words(b), Signature: "s"}
	case 2:
		return session.Block{Type: session.BlockToolCall, ID: id, Name: words(b / 4), Input: json.RawMessage([]string{"", "null", "{}", `{"a":1}`, "[1]"}[b%5])}
	case 3:
		return session.Block{Type: session.BlockToolResult, ID: id, Name: "n", Text: words(b)}
	}
	return session.Block{Type: session.BlockType("unheard of"), Text: words(b)}
}

// Whatever a transcript holds, the conversation read from it can be sent, also to
// a model that takes little of it, and reading it in steps, as turn follows turn,
// is reading it at once.
func FuzzHistory(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 2, 1, 1, 0, 1, 1, 1, 2, 1, 3, 1, 1, 3, 1, 5, 0, 0})
	// Two turns, and in the second an undo of the third, which has not begun.
	f.Add([]byte{0, 2, 1, 1, 0, 1, 1, 1, 0, 2, 0, 2, 1, 1, 0, 8, 3, 1, 0, 1, 1, 1, 0, 2, 0, 2, 1, 1, 0})
	// A turn of two answers with an input between them, the first of them folded.
	f.Add([]byte{0, 2, 1, 1, 0, 1, 1, 1, 2, 1, 6, 2, 0, 1, 1, 0, 1, 1, 1, 0, 2, 7, 2, 1, 1, 1, 1, 0})
	f.Add(binary.BigEndian.AppendUint64([]byte{0, 2, 1, 1, 3, 1, 2, 2, 2, 2}, 0x0102030301020303))
	f.Fuzz(func(t *testing.T, data []byte) {
		entries := script(data)
		whole := History{}.Extend(entries, "now")
		if problem := unsendable(whole); problem != "" {
			t.Fatalf("%s in %+v", problem, entries)
		}
		for i := range whole.exchanges {
			if short := whole.exchanges[i].shortened(cost{bytes: 600, tokens: 100}); short != nil {
				whole.exchanges[i] = *short
			}
		}
		if problem := malformed(model.Request{History: sent(whole), Prompt: model.StringPrompt("next")}); problem != "" {
			t.Fatalf("shortened, %s in %+v", problem, entries)
		}
		whole = History{}.Extend(entries, "now")
		var steps History
		for i, e := range entries {
			if e.Kind == session.EntryTurn {
				steps = steps.Extend(entries[:i+1], e.Turn)
			}
		}
		steps = steps.Extend(entries, "now")
		if diff := cmp.Diff(whole, steps, cmp.AllowUnexported(History{}, exchange{}, cost{}, shown{}, place{})); diff != "" {
			t.Fatalf("in steps it is another conversation (-at once +in steps):\n%s\nof %+v", diff, entries)
		}
	})
}

// malformed says what the strict provider has against a request, or nothing.
func malformed(r model.Request) string {
	r.Model, r.MaxTokens = model.Scripted, 1000
	for _, err := range scripted.New(scripted.Options{}).Stream(context.Background(), r) {
		if err != nil {
			return err.Error()
		}
	}
	return ""
}

// unsendable says why a provider would refuse the conversation, or nothing.
func unsendable(m History) string {
	all := sent(m)
	if !m.mixed && fmt.Sprint(all) != fmt.Sprint(m.flat) {
		return "the flat conversation is another one"
	}
	if m.counted != (model.Request{History: m.flat}.Measure()) {
		return "the count is that of another conversation"
	}
	return malformed(model.Request{History: all, Prompt: model.StringPrompt("next")})
}

// sent is the whole conversation, with words in the place of files.
func sent(m History) (all []model.Message) {
	p := plan{earlier: m.exchanges, summary: m.summary, files: map[int]delivery{}}
	for _, x := range m.exchanges {
		if len(x.items) > 0 {
			p.files[x.nth] = delivery{parts: []attachment.Part{attachment.TextPart{Text: "its files"}}}
		}
	}
	return p.messages()
}

// Some providers number the calls of each answer anew: a file stays with its result.
func TestFilesStayWhereTheyWere(t *testing.T) {
	text := func(name string) []attachment.Item {
		return []attachment.Item{{Name: name, SHA256: name, Kind: attachment.KindText}}
	}
	call := session.Block{Type: session.BlockToolCall, ID: "call_0", Name: "read", Input: json.RawMessage(`{}`)}
	result := func(name string) session.Block {
		return session.Block{Type: session.BlockToolResult, ID: "call_0", Name: "read", Text: "of " + name, Items: text(name)}
	}
	m := History{}.Extend([]session.Entry{
		{Kind: session.EntryTurn, Turn: "a", Message: "look"},
		{Kind: session.EntryAssistant, Turn: "a", Blocks: []session.Block{call}},
		{Kind: session.EntryTools, Turn: "a", Blocks: []session.Block{result("one")}},
		{Kind: session.EntryAssistant, Turn: "a", Blocks: []session.Block{call}},
		{Kind: session.EntryTools, Turn: "a", Blocks: []session.Block{result("two")}},
		{Kind: session.EntryTurn, Turn: "a", Message: "a damaged transcript has the turn once more"},
		{Kind: session.EntryAssistant, Turn: "a", Blocks: []session.Block{call}},
		{Kind: session.EntryTools, Turn: "a", Blocks: []session.Block{result("three")}},
	}, "now")
	w := Window{files: named{}}
	p := plan{earlier: m.exchanges, files: map[int]delivery{}}
	if _, _, err := w.planEarlier(&p, m.exchanges, cost{bytes: 1 << 20, tokens: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, message := range p.messages() {
		for _, c := range message.Content {
			o, _ := c.(model.ToolOutput)
			for _, p := range o.Parts {
				got = append(got, p.(attachment.TextPart).Text)
			}
		}
	}
	want := []string{"of one", "one", "of two", "two", "of three", "three"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the model gets (-want +got):\n%s", diff)
	}
}

// named delivers each file as its name.
type named struct{ Files }

func (named) Deliver(it attachment.Item, _ attachment.Limits, _ bool) (attachment.Delivery, error) {
	return attachment.Delivery{Parts: []attachment.Part{attachment.TextPart{Text: it.Name}}}, nil
}
