package api_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"belay/internal/api"
	"belay/internal/api/apitest"
	"belay/internal/client"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/persona"
	"belay/internal/session"
	"belay/internal/turn"
)

// remote returns a client of a server whose engine has session s1.
func remote(t *testing.T, engine *apitest.Engine, o api.Options) *client.Client {
	t.Helper()
	c, err := client.New("http://"+start(t, engine, o), client.Options{Token: o.Token, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// all reads a stream to its end and closes it.
func all(t *testing.T, s turn.Stream, err error) []event.Event {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var events []event.Event
	for {
		batch, err := s.Next(ctx)
		events = append(events, batch...)
		if errors.Is(err, io.EOF) {
			return events
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Covers: turn-api REQ-07
func TestClientAndServerCarryATurnUnchanged(t *testing.T) {
	t.Parallel()
	engine := &apitest.Engine{}
	c := remote(t, engine, api.Options{Token: "members"})
	n, m, cost, ms := 3, int64(4), 0.5, int64(5000)
	want := turn.Request{
		SessionID: "s1", Message: " <b>\u2028 \x00 \r\n\r\nid: 7\n\ndata: ü 😀 " + strings.Repeat("x", 5000),
		Attachments: []string{"/a b/ü.png", ""},
		Opts: turn.Opts{Persona: "TASK", Mode: "plan", Model: "m", Tools: &[]string{}, MaxTurns: &n, MaxTokens: &m, MaxCostUSD: &cost,
			TimeoutMS: &ms, OnDisconnect: "interrupt", OnBusy: "queue", OnQuestion: "wait", SubagentGovernance: []byte(`{"a":[1.50,null]}`), Unknown: []string{"alpha", "zeta"}},
		IdempotencyKey: "key-1",
	}
	s, err := c.Start(t.Context(), want)
	if err == nil && s.Turn() != "t1" {
		t.Errorf("turn %q", s.Turn())
	}
	got := all(t, s, err)
	if diff := cmp.Diff(want, engine.Requests()[0], cmpopts.IgnoreFields(turn.Request{}, "BodyDigest")); diff != "" {
		t.Errorf("request (-sent +received):\n%s", diff)
	}
	if d := engine.Requests()[0].BodyDigest; len(d) != 64 {
		t.Errorf("digest %q", d)
	}
	local, err := engine.Events(t.Context(), "s1", 0, "t1")
	ignoreTime := cmpopts.IgnoreFields(event.Event{}, "Time")
	if diff := cmp.Diff(all(t, local, err), got, ignoreTime); diff != "" {
		t.Errorf("events (-logged +received):\n%s", diff)
	}
	again, err := c.Events(t.Context(), "s1", 0, "t1")
	if diff := cmp.Diff(got, all(t, again, err), ignoreTime); diff != "" {
		t.Errorf("events read again (-first +second):\n%s", diff)
	}
}

// TestClientIsAnEngine calls every method, and compares with the engine itself.
func TestClientIsAnEngine(t *testing.T) {
	t.Parallel()
	engine := &apitest.Engine{Files: sampleFiles}
	c := remote(t, engine, api.Options{})
	created, err := c.Create(t.Context(), turn.CreateRequest{ProjectRoot: "/project", Persona: "TASK"})
	if err != nil || created.SessionID != "s2" || !created.CreatedAt.Equal(apitest.Start) {
		t.Fatalf("created %+v, %v", created, err)
	}
	same := func(name string, local, remote any, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(local, remote, cmpopts.IgnoreUnexported(persona.Persona{})); diff != "" {
			t.Errorf("%s (-engine +client):\n%s", name, diff)
		}
	}
	s, err := c.Start(t.Context(), turn.Request{SessionID: "s2", Message: "x"})
	all(t, s, err)
	ctx := t.Context()

	wantList, _ := engine.List(ctx, "/project")
	list, err := c.List(ctx, "/project")
	same("List", wantList, list, err)
	o := session.ListOptions{Limit: 1}
	wantPage, _ := engine.ListPage(ctx, "/project", o)
	page, err := c.ListPage(ctx, "/project", o)
	same("ListPage", wantPage, page, err)
	o = session.ListOptions{Limit: 1, Recent: true}
	wantPage, _ = engine.ListPage(ctx, "/project", o)
	o.Cursor = wantPage.Next
	wantPage, _ = engine.ListPage(ctx, "/project", o)
	page, err = c.ListPage(ctx, "/project", o)
	same("the next page", wantPage, page, err)
	wantGet, _ := engine.Get(ctx, "s2")
	got, err := c.Get(ctx, "s2")
	same("Get", wantGet, got, err)
	title := "Bearings"
	updated, err := c.Update(ctx, "s2", turn.SessionChange{Title: &title})
	wantGet, _ = engine.Get(ctx, "s2")
	same("Update", wantGet, updated, err)
	wantInputs, _ := engine.Inputs(ctx, "s2")
	inputs, err := c.Inputs(ctx, "s2")
	same("Inputs", wantInputs, inputs, err)
	if err := c.DropInput(ctx, "s2", "00000000000000000001-in"); !fault.Is(err, fault.NotFound) {
		t.Errorf("DropInput: %v", err)
	}
	var archive bytes.Buffer
	for i := range 200 { // clients take no trailer of any length
		engine.LeftOut = append(engine.LeftOut, fmt.Sprintf("%064x", i))
	}
	leftOut, err := c.Export(ctx, "s2", &archive)
	same("Export", engine.LeftOut[:50], leftOut, err)
	if archive.String() != "archive of s2" {
		t.Errorf("Export: %q", archive.String())
	}
	wantFound, _ := engine.Find(ctx, "s2")
	found, err := c.Find(ctx, "s2")
	same("Find", wantFound, found, err)
	wantEntries, _ := engine.Transcript(ctx, "s2")
	entries, err := c.Transcript(ctx, "s2")
	same("Transcript", wantEntries, entries, err)
	wantManifest, _ := engine.Manifest(ctx, "s2", "")
	manifest, err := c.Manifest(ctx, "s2", "")
	same("Manifest", wantManifest, manifest, err)
	wantBoot, _ := engine.Boot(ctx, turn.BootRequest{SessionID: "s2"})
	boot, err := c.Boot(ctx, turn.BootRequest{SessionID: "s2", Probe: true})
	same("Boot", wantBoot, boot, err)
	since := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	wantUsage, _ := engine.Usage(ctx, since)
	usage, err := c.Usage(ctx, since)
	same("Usage", wantUsage, usage, err)
	wantPersonas, _ := engine.Personas(ctx)
	personas, err := c.Personas(ctx)
	same("Personas", wantPersonas, personas, err)
	wantTools, _ := engine.Tools(ctx)
	tools, err := c.Tools(ctx)
	same("Tools", wantTools, tools, err)
	wantPersona, _ := engine.Persona(ctx, "TASK")
	p, err := c.Persona(ctx, "TASK")
	same("Persona", wantPersona, p, err)
	inspect := turn.InspectRequest{Attachments: []string{"/a"}}
	wantInspect, _ := engine.Inspect(ctx, inspect)
	inspected, err := c.Inspect(ctx, inspect)
	same("Inspect", wantInspect, inspected, err)

	content := bytes.Repeat([]byte("0123456789"), 100_000)
	up, err := c.Upload(ctx, turn.Upload{SessionID: "s2", Name: "ü \"x\".bin", Content: bytes.NewReader(content)})
	if err != nil || up.Bytes != int64(len(content)) {
		t.Errorf("Upload: %+v, %v", up, err)
	}
	if got := apitest.Uploads(engine)[0]; got.Name != "ü \"x\".bin" || !bytes.Equal(got.Data, content) {
		t.Errorf("Upload arrived as %q, %d bytes", got.Name, len(got.Data))
	}
	_, wantItem, _ := engine.Blob(ctx, "s2", "aa11")
	body, item, err := c.Blob(ctx, "s2", "aa11")
	same("Blob", wantItem, item, err)
	if err == nil {
		data, _ := io.ReadAll(body)
		_ = body.Close()
		if string(data) != "# Hello\n" {
			t.Errorf("Blob: %q", data)
		}
	}

	if err := c.Interrupt(ctx, "s2", ""); !fault.Is(err, fault.SessionNotFound) {
		t.Errorf("Interrupt of an idle session: %v", err)
	}
	if err := c.Delete(ctx, "s2"); err != nil {
		t.Errorf("Delete: %v", err)
	}
	if _, err := c.Get(ctx, "s2"); !fault.Is(err, fault.SessionNotFound) {
		t.Errorf("Get after Delete: %v", err)
	}
	for _, id := range []string{"..", "", "a/b"} {
		if _, err := c.Get(ctx, id); !fault.Is(err, fault.SessionNotFound) {
			t.Errorf("Get(%q): %v", id, err)
		}
	}
}

func TestClientErrorsAreTheServers(t *testing.T) {
	t.Parallel()
	sent := fault.New(fault.AttachmentFailure, "nothing is left").With("rejectedAttachmentCount", 1)
	engine := &apitest.Engine{Fail: map[string]error{"Start": sent}}
	c := remote(t, engine, api.Options{})
	_, err := c.Start(t.Context(), turn.Request{SessionID: "s1", Message: "x"})
	got := fault.From(err)
	if got.Type != sent.Type || got.Status != sent.Status || got.Message != sent.Message || got.Details["rejectedAttachmentCount"] != 1.0 || got.NextStep() != sent.NextStep() {
		t.Errorf("the error arrived as %+v", got)
	}
}

func TestClientInterrupts(t *testing.T) {
	t.Parallel()
	engine := &apitest.Engine{}
	c := remote(t, engine, api.Options{})
	s, err := c.Start(t.Context(), turn.Request{SessionID: "s1", Message: "HOLD"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Interrupt(t.Context(), "s1", "t9"); !fault.Is(err, fault.SessionNotFound) || fault.From(err).Details["turnId"] != "t9" {
		t.Errorf("Interrupt of another turn: %v", err)
	}
	if err := c.Interrupt(t.Context(), "s1", s.Turn()); err != nil {
		t.Fatal(err)
	}
	events := all(t, s, nil)
	if last := events[len(events)-1]; !last.Ends() || !strings.Contains(string(last.Data), `"exitCode":130`) {
		t.Errorf("ended with %s %s", last.Type, last.Data)
	}
}

// BenchmarkTurn is a whole turn through client and server, without a provider.
func BenchmarkTurn(b *testing.B) {
	engine := &apitest.Engine{}
	h := api.New(api.Options{Engine: engine})
	base := serve(b, h)
	c, err := client.New(base, client.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		rec, err := engine.Create(context.Background(), turn.CreateRequest{ProjectRoot: "/project"})
		if err != nil {
			b.Error(err)
			return
		}
		for pb.Next() {
			s, err := c.Start(context.Background(), turn.Request{SessionID: rec.SessionID, Message: "twenty bytes of text"})
			for err == nil {
				_, err = s.Next(context.Background())
			}
			if !errors.Is(err, io.EOF) {
				b.Error(err)
				return
			}
			_ = s.Close()
		}
	})
}

// What needs the operator's authority passes through the client unchanged.
func TestClientOfTheOperator(t *testing.T) {
	t.Parallel()
	engine := &apitest.Engine{}
	c := remote(t, engine, api.Options{Token: "captain", Operator: api.NewOperator(api.OperatorOptions{Token: "captain"})})
	engine.Ask(question("dec_1"))
	q, err := c.Question(t.Context(), "dec_1")
	if err != nil || q.Open == nil || q.Open.Reason == "" || q.Closed != nil {
		t.Errorf("open: %+v, %v", q, err)
	}
	if _, err := c.Decide(t.Context(), turn.DecisionRequest{SessionID: "s1", DecisionID: "dec_1", Verdict: "deny", By: "ana", Note: "no"}); err != nil {
		t.Fatal(err)
	}
	if q, err = c.Question(t.Context(), "dec_1"); err != nil || q.Open != nil || q.Closed == nil || q.Closed.By != "ana" || q.Closed.Tool != "bash" {
		t.Errorf("closed: %+v, %v", q, err)
	}
	want, _ := engine.Closed(t.Context(), "s1", 5)
	got, err := c.Closed(t.Context(), "s1", 5)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("closed: %v\n%s", err, diff)
	}
	engine.Lacks, engine.Problems = []string{"0a"}, []session.Problem{{File: "transcript.jsonl", Text: "line 2 is left out"}}
	in, err := c.Import(t.Context(), "/project", strings.NewReader("archive of s9"))
	if err != nil || in.From != "s9" || in.Record.SessionID == "" || !slices.Equal(in.Lacks, []string{"0a"}) || len(in.Problems) != 1 || in.Problems[0].Text != "line 2 is left out" {
		t.Errorf("import: %+v, %v", in, err)
	}
	if _, err := c.Import(t.Context(), "/project", strings.NewReader("rubbish")); !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("import of rubbish: %v", err)
	}
}
