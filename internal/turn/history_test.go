package turn

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"belay/internal/attachment"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/model"
	"belay/internal/model/scripted"
	"belay/internal/permit"
	"belay/internal/plainjson"
	"belay/internal/tool"
)

// variedModels are as different as models get.
func variedModels() map[string]model.Limits {
	full := model.Anthropic().Default
	tiny := model.Limits{ContextTokens: 6_000, OutputTokens: 1_000, Attachments: attachment.Limits{
		TextBytes: 2_000, RequestBytes: 400_000,
	}}
	few := full
	few.ContextTokens, few.OutputTokens = 20_000, 4_000
	few.Attachments.Images, few.Attachments.ManyImages, few.Attachments.ManyImagesSide = 3, 1, 64
	few.Attachments.ImageSide, few.Attachments.ImageURLs = 128, false
	few.Attachments.AudioTypes, few.Attachments.AudioBytes = []string{"audio/wav"}, 1<<20
	thin := full
	thin.Attachments.RequestBytes = 300_000
	thin.Attachments.PDF = false
	return map[string]model.Limits{"full": full, "tiny": tiny, "few": few, "thin": thin}
}

// Covers: turn-api REQ-02, REQ-06; attachment-resolver REQ-12; workspace 9.8
//
// After any sequence of turns, attachments, failures and model switches, and
// whatever tools and people said within them, every request fits the limits of
// the model that it goes to, and no turn ends for want of room. The scripted
// provider refuses what does not fit, as the real service would; the checks
// here are a second opinion on form.
func TestHistoryCanAlwaysBeSent(t *testing.T) {
	t.Parallel()
	catalog := model.Catalog{Models: variedModels(), Default: variedModels()["full"]}
	strict := scripted.New(scripted.Options{Catalog: &catalog})
	r, id := emptyRig(t), ""
	files := attachables(r)
	declared := map[string]attachment.Item{}
	r.open(withTools(t, dumps("dump"), dumps("read"), act{"show", permit.Read, func(ctx context.Context, w *tool.Environment, in json.RawMessage) (tool.Result, error) {
		var which struct{ Path string }
		must(t, json.Unmarshal(in, &which))
		if it, ok := declared[which.Path]; ok {
			return tool.Result{Text: "here it is", Items: []attachment.Item{it}}, nil
		}
		it, err := w.Files.Admit(ctx, which.Path)
		return tool.Result{Text: "here it is", Items: []attachment.Item{it}}, err
	}}, act{"hear", permit.Read, func(ctx context.Context, _ *tool.Environment, in json.RawMessage) (tool.Result, error) {
		var said struct {
			Words int
			Files []string
		}
		must(t, json.Unmarshal(in, &said))
		return tool.Result{Text: "said"}, r.engine.Steer(ctx, SteerRequest{
			SessionID: id, Message: strings.Repeat("hear ", said.Words), Attachments: said.Files,
		})
	}}), roomyOutput, func(o *Options) { o.Rules.Policy = attachment.Policy{FileBytes: 1 << 20, TurnBytes: 8 << 20} })
	r.provider.limits = catalog.Limits
	maps.Copy(declared, declarables(r))
	showable := slices.Concat(files, slices.Sorted(maps.Keys(declared)))
	rapid.Check(t, func(rt *rapid.T) {
		id = r.session()
		for i := range rapid.IntRange(1, 7).Draw(rt, "turns") {
			how := rapid.SampledFrom([]string{"answer", "long", "fail", "silent", "tools", "busy", "busy"}).Draw(rt, "how")
			r.provider.does(acts(strict, how, drawRounds(rt, how, files, showable)))
			q := Request{SessionID: id, Opts: Opts{Model: rapid.SampledFrom([]string{"full", "tiny", "few", "thin"}).Draw(rt, "model")}}
			q.Message = strings.Repeat("word ", rapid.SampledFrom([]int{1, 40, 900}).Draw(rt, "words"))
			for range rapid.IntRange(0, 3).Draw(rt, "files") {
				q.Attachments = append(q.Attachments, rapid.SampledFrom(files).Draw(rt, "file"))
			}
			for range rapid.IntRange(0, 2).Draw(rt, "items") {
				q.Items = append(q.Items, declared[rapid.SampledFrom(slices.Sorted(maps.Keys(declared))).Draw(rt, "item")])
			}
			r.provider.requests = nil
			s, err := r.engine.Start(r.ctx(), q)
			if fault.Is(err, fault.InvalidRequest) {
				continue // the words alone are too much for this model: said before any stream
			}
			must(t, err)
			for _, e := range r.drain(s) {
				if e.Type == event.TurnError && how != "fail" || e.Type == event.SessionComplete && strings.Contains(string(e.Data), "context_window") {
					rt.Fatalf("turn %d (%s, %s): %s", i, how, q.Opts.Model, e.Data)
				}
			}
			for _, request := range r.provider.requests {
				if problem := malformed(request); problem != "" {
					rt.Fatalf("turn %d (%s, %s): %s", i, how, q.Opts.Model, problem)
				}
			}
		}
	})
}

// drawRounds makes up the tool calls of a busy turn: long results, files that are
// shown, and people who speak into it.
func drawRounds(rt *rapid.T, how string, files, showable []string) (rounds [][]model.ToolCall) {
	if how != "busy" {
		return nil
	}
	for i := range rapid.IntRange(1, 12).Draw(rt, "rounds") {
		var calls []model.ToolCall
		for k := range rapid.IntRange(1, 4).Draw(rt, "calls") {
			c := model.ToolCall{ID: fmt.Sprintf("call-%d-%d", i, k)}
			switch c.Name = rapid.SampledFrom([]string{"dump", "dump", "read", "show", "hear", "nobody"}).Draw(rt, "tool"); c.Name {
			case "show":
				c.Input = plainjson.MustMarshal(map[string]string{"Path": rapid.SampledFrom(showable).Draw(rt, "shown")})
			case "hear":
				var sent []string
				for range rapid.IntRange(0, 2).Draw(rt, "sent") {
					sent = append(sent, rapid.SampledFrom(files).Draw(rt, "file"))
				}
				c.Input = plainjson.MustMarshal(map[string]any{"Words": rapid.SampledFrom([]int{1, 900, 9_000}).Draw(rt, "said"), "Files": sent})
			default:
				c.Input = fmt.Appendf(nil, `{"Bytes":%d}`, rapid.SampledFrom([]int{10, 2_000, 30_000, 400_000}).Draw(rt, "bytes")+i)
			}
			calls = append(calls, c)
		}
		rounds = append(rounds, calls)
	}
	return rounds
}

// acts lets the strict provider judge the request, then answers as told.
func acts(strict *scripted.Provider, how string, rounds [][]model.ToolCall) play {
	return func(ctx context.Context, r model.Request, yield func(model.Chunk, error) bool) {
		for _, err := range strict.Stream(ctx, r) {
			if err != nil {
				yield(nil, fmt.Errorf("strict: %w", fault.From(err)))
				return
			}
		}
		switch {
		case r.Summary:
			says(strings.Repeat("what was said ", 300))(ctx, r, yield)
		case len(rounds) > 0:
			_ = yield(model.Block{Content: model.Thinking{Text: "hm", Signature: "signed"}}, nil)
			for _, c := range rounds[0] {
				_ = yield(model.Block{Content: c}, nil)
			}
			rounds = rounds[1:]
			yield(model.Stop{Reason: model.StopToolUse}, nil)
		case how == "fail":
			yield(model.TextDelta{Text: "half an ans"}, nil)
			yield(nil, fault.New(fault.SDKFailure, "broken"))
		case how == "silent":
			yield(model.Stop{Reason: model.StopEndTurn}, nil)
		case how == "long":
			says(strings.Repeat("a long answer ", 400))(ctx, r, yield)
		case how == "tools" && (len(r.History) == 0 || r.Prompt != nil):
			_ = yield(model.Block{Content: model.ToolCall{ID: "call-1", Name: "nothing", Input: []byte(`{}`)}}, nil) &&
				yield(model.Stop{Reason: model.StopToolUse}, nil)
		default:
			says("an answer")(ctx, r, yield)
		}
	}
}

// malformed says what is wrong with the form of a request, or nothing.
func malformed(r model.Request) string {
	messages := r.History
	if r.Prompt != nil {
		var content []model.Content
		for _, p := range r.Prompt.Parts() {
			content = append(content, model.Media{Part: p})
		}
		messages = append(messages[:len(messages):len(messages)], model.Message{Role: model.User, Content: content})
	}
	open := map[string]bool{}
	for i, m := range messages {
		want := model.User
		if i%2 == 1 {
			want = model.Assistant
		}
		if m.Role != want {
			return fmt.Sprintf("message %d is the %s's", i, m.Role)
		}
		if len(m.Content) == 0 {
			return fmt.Sprintf("message %d is empty", i)
		}
		calls := map[string]bool{}
		for _, c := range m.Content {
			switch c := c.(type) {
			case model.Text:
				if strings.TrimSpace(c.Text) == "" {
					return fmt.Sprintf("message %d has a blank text", i)
				}
			case model.Media:
				if text, ok := c.Part.(attachment.TextPart); ok && strings.TrimSpace(text.Text) == "" {
					return fmt.Sprintf("message %d has a blank part", i)
				}
			case model.ToolOutput:
				if !open[c.CallID] {
					return fmt.Sprintf("message %d has a result for %q, which was not called", i, c.CallID)
				}
				delete(open, c.CallID)
			case model.ToolCall:
				if m.Role != model.Assistant || c.ID == "" || c.Name == "" || calls[c.ID] || c.Input[0] != '{' {
					return fmt.Sprintf("message %d has the call %+v", i, c)
				}
				calls[c.ID] = true
			}
		}
		if len(open) > 0 {
			return fmt.Sprintf("message %d leaves calls without a result: %v", i, open)
		}
		open = calls
	}
	return ""
}

// attachables are files of every kind, some larger than the small models take.
func attachables(r *rig) []string {
	picture := func(side int) string {
		img := image.NewRGBA(image.Rect(0, 0, side, side))
		for i := range side * side {
			img.Set(i%side, i/side, color.RGBA{byte(i * 7), byte(i * 13), byte(i), 255})
		}
		var b bytes.Buffer
		must(r.t, png.Encode(&b, img))
		return r.file(fmt.Sprintf("p%d.png", side), b.String())
	}
	return []string{
		picture(16), picture(300),
		r.file("small.txt", "a few words"), r.file("large.csv", strings.Repeat("a,b,c,d\n", 40_000)),
		r.file("utf16.txt", "\xff\xfeh\x00i\x00"), r.file("bad.png", "<html>"),
	}
}

// declarables are items as workflow files declare them, of the kinds that no path
// of a turn becomes, in the store of r's project.
func declarables(r *rig) map[string]attachment.Item {
	blobs, err := r.store.Blobs(r.project)
	must(r.t, err)
	all := map[string]attachment.Item{}
	for name, data := range map[string]string{
		"short.wav":  "RIFF\x2c\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x08\x00\x00\x00abcdefgh",
		"long.wav":   "RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\xe8\x03\x00\x00\xe8\x03\x00\x00\x01\x00\x08\x00data\x00\x00\x00\x00" + strings.Repeat("sound", 120_000),
		"clip.mp4":   "\x00\x00\x00\x14ftypisom\x00\x00\x02\x00isom" + strings.Repeat("\x00", 9000),
		"data.zip":   "PK\x03\x04" + strings.Repeat("\x00", 60),
		"photo.heic": "\x00\x00\x00\x14ftypheic\x00\x00\x00\x00mif1",
		"logo.svg":   "<svg xmlns='http://www.w3.org/2000/svg'>" + strings.Repeat("<g/>", 3000) + "</svg>",
		"wide.txt":   strings.Repeat("w\x00i\x00d\x00e\x00 \x00", 50),
	} {
		f, err := os.Open(r.file(name, data))
		must(r.t, err)
		a, err := attachment.Accept(r.ctx(), attachment.Opened{File: f, Name: name, Origin: name}, attachment.Terms{}, blobs)
		must(r.t, err)
		if a.Refused != nil {
			r.t.Fatal(a.Refused)
		}
		all["declared "+name] = a.Item
	}
	for i, kind := range []attachment.Kind{attachment.KindImage, attachment.KindURL} {
		it, err := attachment.Reference(r.ctx(), kind, fmt.Sprintf("https://example.com/%d.png?%s", i, strings.Repeat("x", 1000)), "there", "there", blobs)
		must(r.t, err)
		all["declared address of "+string(kind)] = it
	}
	page, err := os.Open(r.file("page.html", "<!doctype html><p>"+strings.Repeat("read me ", 2000)))
	must(r.t, err)
	a, err := attachment.Accept(r.ctx(), attachment.Opened{File: page, Name: "page", Want: attachment.KindURL}, attachment.Terms{}, blobs)
	must(r.t, err)
	all["declared page"] = a.Item
	return all
}

// What is elided is said, and what stays is the same from turn to turn for as
// long as nothing has to go: prompt caches live on that.
func TestOldTurnsAreElidedRarely(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	limits := variedModels()["tiny"]
	r.provider.limits = func(string) model.Limits { return limits }
	id := r.session()
	var before []model.Message
	cuts := 0
	for i := range 40 {
		r.say(id, fmt.Sprintf("question %d %s", i, strings.Repeat("word ", 60)))
		now := r.provider.last(t).History
		if !samePrefix(before, now) {
			cuts++
			if !strings.Contains(textOf(now[0].Content[0]), "left out") {
				t.Fatalf("turn %d: turns went without a word: %v", i, now[0])
			}
		}
		before = now
	}
	if cuts == 0 || cuts > 8 {
		t.Errorf("the beginning of the request changed %d times in 40 turns", cuts)
	}
}

func samePrefix(before, now []model.Message) bool {
	if len(now) < len(before) {
		return false
	}
	for i := range before {
		if fmt.Sprint(before[i]) != fmt.Sprint(now[i]) {
			return false
		}
	}
	return true
}
