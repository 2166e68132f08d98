package app

import (
	"context"
	"maps"
	"os"
	"slices"
	"time"

	"belay/internal/durable"
	"belay/internal/permit"
	"belay/internal/persona"
	"belay/internal/plainjson"
	"belay/internal/tool"
	"belay/internal/tool/shell"
	"belay/internal/turn"
	"belay/internal/workflow/run"
)

// objection is why the call of a tool task certainly fails, "" where it may succeed, and
// the next step. The tool prepares the call, which has no effect yet, and the mode and the
// rules judge what it would do.
func objection(a *App, engine *turn.Options) func(context.Context, run.ToolCall) (reason, hint string) {
	rules := newProjects(a.Config)
	return func(ctx context.Context, c run.ToolCall) (reason, hint string) {
		r, err := rules.rules(c.Project)
		if err != nil {
			return "", "" // the turn says what is wrong
		}
		root, err := os.OpenRoot(c.Project)
		if err != nil {
			return "", ""
		}
		defer root.Close()
		known, ok := preparable(c, root)
		if !ok {
			return "", ""
		}
		environment := &tool.Environment{
			Project: c.Project, Root: root, Scope: engine.Scope(c.Project, persona.Inline(c.Agent, "", "")),
			Unreadable: permit.Policy{Denied: r.Denied}.Unreadable, Seen: &tool.Seen{}, Ledger: &tool.Ledger{}, Unread: true, Limits: r.Tools, Clock: time.Now, ReadPaths: engine.ReadPaths,
		}
		prepare := func(input map[string]any) (tool.Call, *tool.Refusal) {
			data, err := plainjson.Marshal(input)
			if err != nil {
				return nil, nil
			}
			call, err := engine.Tools.Prepare(ctx, environment, c.Tool, data)
			refusal, _ := tool.AsRefusal(err)
			if err != nil {
				call = nil
			}
			return call, refusal
		}
		call, refusal := prepare(known)
		if refusal != nil && !refusal.Authority && !c.Settled {
			// A task before it may make the file or the folder.
			delete(known, "dir")
			if call, refusal = prepare(known); c.Tool != "fetch" && c.Tool != shell.Name {
				refusal = nil
			}
		}
		switch {
		case refusal != nil:
			return refusal.Reason, ""
		case call == nil || c.Tool == shell.Name && slices.Contains(c.Unknown, "command") && (known["outside"] != true || len(r.Outside) > 0):
			return "", "" // what the rules say depends on the command
		}
		given, err := permit.ParseRules(c.Allow)
		if err != nil {
			return "", ""
		}
		policy := permit.Policy{
			Mode: permit.ModeOf(c.Mode), Allowed: append(given, r.Allowed...), Denied: r.Denied, AskBefore: r.AskBefore, Outside: r.Outside,
		}
		switch ruling := policy.Judge(call.Effect()); {
		case ruling.Outcome == permit.Refuse:
			return ruling.Reason, ""
		case ruling.Outcome == permit.Ask && c.AsksNobody && len(a.Config.Hooks) == 0:
			hint = "permit it with --allow " + c.Tool + ", or let the run wait for an answer with --wait"
			if c.Tool == shell.Name {
				hint = "let the run wait for an answer with --wait, or allow it with permit.outside in your own settings"
			}
			return ruling.Reason + ", and nobody is asked whether it may", hint
		case ruling.Outcome == permit.Allow && c.Settled && len(c.Unknown) == 0:
			return foreseen(ctx, call)
		}
		return "", ""
	}
}

// foreseen is why a call fails that is permitted and whose files nothing changes before it.
func foreseen(ctx context.Context, call tool.Call) (reason, hint string) {
	f, ok := call.(tool.Foreseer)
	if !ok {
		return "", ""
	}
	if refusal, ok := tool.AsRefusal(f.Foresee(ctx)); ok {
		return refusal.Reason, refusal.Hint
	}
	return "", ""
}

// preparable is the known input of a call, with values for what is not known, such that a
// refusal is about the known part. It is false where nothing can be said without the rest.
func preparable(c run.ToolCall, root *os.Root) (map[string]any, bool) {
	input := maps.Clone(c.Input)
	for _, name := range c.Unknown {
		switch {
		case c.Tool == shell.Name && name == "command":
			input[name] = "true"
		case c.Tool == shell.Name && name == "reason":
			input[name] = "not known yet"
		case c.Tool == "write" && name == "content":
			path, _ := c.Input["path"].(string)
			data, _, _ := durable.ReadFile(root, path, maxStandIn) // a new file is empty
			input[name] = string(data)
		case name == "path", name == "url", name == "outside":
			return nil, false
		}
	}
	return input, true
}

// maxStandIn bounds the file whose content stands for one that is not known yet.
const maxStandIn = 1 << 20
