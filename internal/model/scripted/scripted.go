// Package scripted is the embedded provider: it answers without a network, the
// same way every time. It is belay's default, so that a first turn, a demo and
// every test run offline.
//
// Without a script it repeats the user's words and says, a line each, which
// files the model received. A few marker texts (see markers.go) make it fail,
// hold or ask for a permission, as clients of the compatible contract expect;
// they mean nothing to any other provider. With a [Script] it plays a
// conversation that was written down: words, reasoning, tool calls, failures.
//
// It is a strict stand-in: a request that the real service would refuse (over
// the model's limits, roles that do not alternate, a tool call left without an
// answer) fails here with the same 400. It keeps no state: where it is in a
// script follows from the request's history, so a restart changes nothing.
//
// Contract: compatible contract 2.1; the HTTP contract, "The embedded provider".
package scripted

import (
	"cmp"
	"context"
	"iter"
	"strings"
	"time"

	"belay/internal/attachment"
	"belay/internal/model"
)

// Name is the provider's name in the configuration, in error details, and as a model.
const Name = model.Scripted

// Catalog is what the provider takes: as much as the Anthropic models.
func Catalog() model.Catalog {
	c := model.Anthropic()
	c.Models[Name] = c.Models["claude-sonnet-4"]
	return c
}

// Options configures a [Provider]. The zero value answers as fast as it can.
type Options struct {
	// Pace is the delay after each chunk of text; 0 is none.
	Pace time.Duration
	// Script is the conversation to play; nil repeats the user's words.
	Script *Script
	// Catalog gives the limits that are enforced; nil means [Catalog].
	Catalog *model.Catalog
	// Sleep waits for d or until ctx is done; nil waits in real time.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Provider answers from the request alone. It is safe for concurrent use.
type Provider struct {
	pace    time.Duration
	script  *Script
	catalog model.Catalog
	sleep   func(context.Context, time.Duration) error
}

var (
	_ model.Provider     = (*Provider)(nil)
	_ model.Bootstrapper = (*Provider)(nil)
)

// New returns a provider.
func New(o Options) *Provider {
	p := &Provider{pace: o.Pace, script: o.Script, sleep: o.Sleep}
	if o.Catalog != nil {
		p.catalog = *o.Catalog
	} else {
		p.catalog = Catalog()
	}
	if p.sleep == nil {
		p.sleep = model.Sleep
	}
	return p
}

// Name implements [model.Provider].
func (*Provider) Name() string { return Name }

// Ready implements [model.Provider]: nothing is needed.
func (*Provider) Ready() error { return nil }

// Limits implements [model.Provider].
func (p *Provider) Limits(name string) model.Limits { return p.catalog.Limits(name) }

// Bootstrap implements [model.Bootstrapper]: it fails for the boot marker's
// model and otherwise has nothing to do. A probe is a whole answer.
func (p *Provider) Bootstrap(ctx context.Context, r model.Request, probe bool) error {
	if r.Model == bootFailModel {
		return bootFailure()
	}
	if !probe {
		return ctx.Err()
	}
	for _, err := range p.Stream(ctx, r) {
		if err != nil {
			return err
		}
	}
	return nil
}

// Stream implements [model.Provider].
func (p *Provider) Stream(ctx context.Context, r model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return
		}
		s, steps, err := p.open(ctx, &r, yield)
		switch {
		case err != nil:
			yield(nil, err)
		case steps != nil:
			s.play(steps, s.messages.Len()+2*r.Folded)
		default:
			p.echo(s, &r)
		}
	}
}

// open checks the request and finds what the script, if any, says next.
func (p *Provider) open(ctx context.Context, r *model.Request, yield func(model.Chunk, error) bool) (*speaker, []step, error) {
	m, messages := r.Measure(), r.Conversation() // once: a long conversation takes a while to walk
	if err := p.check(r, m, &messages); err != nil {
		return nil, nil, err
	}
	s := p.newSpeaker(ctx, *r, m.Tokens, yield)
	s.messages = messages
	if r.Summary {
		return s, summary(&s.messages), nil
	}
	return s, p.script.next(&s.messages, r.Folded), nil
}

// summary is what this provider makes of a conversation: the beginnings of what
// the person said and of what the agent called.
func summary(messages *model.Conversation) []step {
	words, _ := read(messages)
	var all []string
	for line := range strings.Lines(words) {
		line = strings.TrimSpace(line)
		if text, ok := strings.CutPrefix(line, "Person: "); ok {
			all = append(all, "- The person said: "+text[:min(len(text), 60)])
		} else if text, ok := strings.CutPrefix(line, "Agent: [calls "); ok {
			all = append(all, "- The agent called "+text[:min(len(strings.TrimSuffix(text, "]")), 60)])
		}
	}
	const most = 20
	return []step{{say: strings.ToValidUTF8("In short:\n"+strings.Join(all[max(0, len(all)-most):], "\n"), "")}}
}

// echo is the answer without a script.
func (p *Provider) echo(s *speaker, r *model.Request) {
	words, received := read(&s.messages)
	if !p.markers(s, *r, words) {
		return
	}
	reply := strings.TrimSpace(words)
	if received != "" {
		reply = strings.TrimSpace(reply + "\n\n" + received)
	}
	reply = cmp.Or(reply, emptyReply)
	if s.say(reply) {
		s.stop(model.StopEndTurn)
	}
}

// emptyReply answers a prompt without words and files.
const emptyReply = "The turn completed successfully."

// read returns the words of the prompt and a description of its files. After
// tool calls the prompt is the last message of the history that a person wrote.
func read(all *model.Conversation) (words, received string) {
	var text, files []string
	if all.Len() == 0 {
		return "", ""
	}
	for _, c := range all.At(turnStart(all)).Content {
		switch c := c.(type) {
		case model.Text:
			text = append(text, c.Text)
		case model.Media:
			if t, ok := c.Part.(attachment.TextPart); ok {
				text = append(text, t.Text)
			} else {
				files = append(files, describe(c.Part))
			}
		}
	}
	return strings.Join(text, "\n\n"), strings.Join(files, "\n")
}
