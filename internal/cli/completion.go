package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/chat"
	"belay/internal/config"
	"belay/internal/permit"
	"belay/internal/session"
	"belay/internal/workspace/lifecycle"
	"belay/internal/workspace/scan"
)

func newCompletion(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print the completion script of a shell",
		Long: `Print the completion script of a shell. It completes commands and flags, and the ids of
sessions, runs, questions, kept changes and deliverables, personas, models, modes and
settings.`,
		Example: `  source <(belay completion bash)
  belay completion zsh > "${fpath[1]}/_belay"
  belay completion fish > ~/.config/fish/completions/belay.fish
  belay completion powershell | Out-String | Invoke-Expression`,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(c.out, true)
			case "zsh":
				return root.GenZshCompletion(c.out)
			case "fish":
				return root.GenFishCompletion(c.out, true)
			default:
				return root.GenPowerShellCompletionWithDesc(c.out)
			}
		},
	}
}

// mcpServers are the names of the configured ones. Nothing is started.
func mcpServers(_ context.Context, a *app.App, _ string) (all []candidate, err error) {
	for name, s := range a.Config.MCP {
		all = append(all, candidate{name, cmp.Or(s.URL, strings.Join(s.Command, " "))})
	}
	return all, nil
}

func personaIDs(ctx context.Context, a *app.App, _ string) ([]candidate, error) {
	list, err := a.Engine.Personas(ctx)
	var all []candidate
	for _, p := range list {
		all = append(all, candidate{p.ID, p.Description})
	}
	return all, err
}

// shownCompletions is how many sessions are looked at for their first message.
const shownCompletions = 50

// sessionIDs are the last sessions of the project, and all others whose id begins with
// the prefix.
func sessionIDs(ctx context.Context, a *app.App, prefix string) ([]candidate, error) {
	project, err := projectDir(a.Config)
	if err != nil {
		return nil, err
	}
	page, err := a.Engine.ListPage(ctx, project, session.ListOptions{Limit: shownCompletions, Recent: true})
	if err != nil {
		return nil, err
	}
	var all []candidate
	known := map[string]bool{}
	for _, r := range page.Records {
		words := r.Title
		if opening, err := a.Store.OpeningOf(&r); err == nil && words == "" {
			words = opening.Message
		}
		known[r.SessionID] = true
		all = append(all, candidate{r.SessionID, words})
	}
	ids, err := a.Store.IDs(ctx)
	for _, id := range ids {
		if !known[id] && strings.HasPrefix(id, prefix) && (prefix != "" || len(page.Records) == 0) {
			all = append(all, candidate{value: id})
		}
	}
	return all, err
}

func runIDs(ctx context.Context, a *app.App, _ string) ([]candidate, error) {
	project, err := projectDir(a.Config)
	if err != nil {
		return nil, err
	}
	runs, _, err := a.Runs.List(ctx, project, 0)
	var all []candidate
	for _, r := range runs {
		all = append(all, candidate{r.ID, r.Workflow + ", " + runState(r.Status)})
	}
	return all, err
}

func questionIDs(ctx context.Context, a *app.App, _ string) ([]candidate, error) {
	open, err := allPending(ctx, a, "")
	var all []candidate
	for _, q := range open {
		words := q.call.Effect.Act()
		if q.wait != nil {
			words = q.wait.Message
		}
		all = append(all, candidate{q.id(), words})
	}
	return all, err
}

func changeIDs(ctx context.Context, a *app.App, _ string) ([]candidate, error) {
	project, err := projectDir(a.Config)
	if err != nil {
		return nil, err
	}
	kept, err := a.Engine.Kept(ctx, project)
	var all []candidate
	for _, k := range kept {
		words := ""
		if k.Effect != nil {
			words = k.Effect.Summary
		}
		all = append(all, candidate{k.ID, words})
	}
	return all, err
}

func deliverableIDs(ctx context.Context, a *app.App, _ string) ([]candidate, error) {
	root, err := projectRoot(a.Config)
	if err != nil {
		return nil, err
	}
	found, err := scan.Scan(ctx, root, scan.Options{NamesOnly: true})
	if err != nil {
		return nil, err
	}
	var all []candidate
	for _, f := range found.Deliverables {
		all = append(all, candidate{f.ID, f.Name})
	}
	return all, nil
}

func modelIDs(_ context.Context, a *app.App, _ string) ([]candidate, error) {
	list, err := app.Models(a)
	var all []candidate
	for _, m := range list.Models {
		all = append(all, candidate{m.ID, m.Provider})
	}
	return all, err
}

func modes(context.Context, *app.App, string) ([]candidate, error) { return plain(chat.Modes()), nil }

func states(context.Context, *app.App, string) ([]candidate, error) {
	var all []candidate
	for _, s := range lifecycle.States() {
		all = append(all, candidate{value: string(s)})
	}
	return all, nil
}

func auditKinds(context.Context, *app.App, string) ([]candidate, error) {
	return plain(permit.AuditKinds), nil
}

func efforts(context.Context, *app.App, string) ([]candidate, error) {
	return plain([]string{"low", "medium", "high", "minimal", "xhigh", "max"}), nil
}

// toolNames complete the last name of a list.
func toolNames(ctx context.Context, a *app.App, prefix string) ([]candidate, error) {
	names, err := a.Engine.Tools(ctx)
	all := plain(names)
	for i := range all {
		all[i].value = prefix[:strings.LastIndexByte(prefix, ',')+1] + all[i].value
	}
	return all, err
}

func colours(context.Context, *app.App, string) ([]candidate, error) {
	return plain([]string{"auto", "always", "never"}), nil
}

func providers(context.Context, *app.App, string) ([]candidate, error) {
	return plain(config.Providers()), nil
}

// choosable are what belay setup takes for a provider.
func choosable(context.Context, *app.App, string) ([]candidate, error) { return plain(choices), nil }

func settingKeys(context.Context, *app.App, string) ([]candidate, error) {
	var all []candidate
	for _, s := range config.Reference() {
		all = append(all, candidate{s.Key, s.Doc})
	}
	return all, nil
}

// assigned are the keys of settings to which a command line gives a value.
func assigned(ctx context.Context, a *app.App, prefix string) ([]candidate, error) {
	all, err := settingKeys(ctx, a, prefix)
	for i := range all {
		all[i].value += "="
	}
	return all, err
}

func plain(values []string) []candidate {
	var all []candidate
	for _, v := range values {
		all = append(all, candidate{value: v})
	}
	return all
}
