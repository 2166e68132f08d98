package app

import (
	"context"
	"os"
	"time"

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
		if c.Tool == shell.Name && c.Input["outside"] != true {
			return "", "" // a command is judged by what it changes
		}
		r, err := rules.rules(c.Project)
		if err != nil {
			return "", "" // the turn says what is wrong
		}
		input, err := plainjson.Marshal(c.Input)
		if err != nil {
			return "", ""
		}
		root, err := os.OpenRoot(c.Project)
		if err != nil {
			return "", ""
		}
		defer root.Close()
		call, err := engine.Tools.Prepare(ctx, &tool.Environment{
			Project: c.Project, Root: root, Scope: engine.Scope(c.Project, persona.Inline(c.Agent, "", "")),
			Seen: &tool.Seen{}, Ledger: &tool.Ledger{}, Unread: true, Limits: r.Tools, Clock: time.Now, ReadPaths: engine.ReadPaths,
		}, c.Tool, input)
		if refusal, ok := tool.AsRefusal(err); ok && (c.Settled || refusal.Authority) {
			return refusal.Reason, refusal.Hint
		}
		if err != nil {
			return "", ""
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
		}
		return "", ""
	}
}
