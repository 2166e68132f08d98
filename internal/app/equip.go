package app

import (
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"belay/internal/attachment/download"
	"belay/internal/attachment/links"
	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/journal"
	"belay/internal/netguard"
	"belay/internal/permit"
	"belay/internal/persona"
	"belay/internal/redact"
	"belay/internal/tool"
	"belay/internal/tool/fetch"
	"belay/internal/tool/files"
	"belay/internal/tool/mcp"
	projecttool "belay/internal/tool/project"
	"belay/internal/tool/shell"
	"belay/internal/tool/shell/confine"
	"belay/internal/tool/shell/quota"
	"belay/internal/tool/skills"
	"belay/internal/turn"
	"belay/internal/workspace"
)

// equip gives the engine its tools, and the people their say about them.
func (a *App) equip(o *turn.Options) (err error) {
	cfg := a.Config
	clean := Redactor(cfg)
	if a.audit, err = openAudit(cfg); err != nil {
		return err
	}
	options := requestsOptions(cfg)
	options.Clock, options.Audit = time.Now, a.audit
	if a.requests, err = permit.OpenRequests(options); err != nil {
		return err
	}
	sh := shellOptions(cfg)
	sh.Environ, sh.Person, sh.ServerPorts = os.Environ(), PersonEnv(os.Environ()), func() []uint16 { return serverPorts(cfg.Paths.StateDir) }
	a.shell = shell.New(sh)
	a.registers = newRegisters(cfg, options.Audit, gateOf(a.shell))
	a.transitions = transitions(cfg, options.Audit, gateOf(a.shell))
	if a.fetch, err = fetch.New(fetchOptions(cfg)); err != nil {
		return err
	}
	hooks, err := hookOptions(cfg)
	if err != nil {
		return err
	}
	hooks.Env = permit.HookEnv(os.Environ())
	if o.Hooks, err = permit.NewHooks(hooks); err != nil {
		return fault.New(fault.InvalidRequest, "hooks: %v", err).WithHint("correct the setting; belay config show says where it comes from").Because(err)
	}
	if a.links, err = links.Open(filepath.Join(cfg.Paths.StateDir, "links"), time.Now); err != nil {
		return err
	}
	if a.received, err = download.New(receiveOptions(cfg)); err != nil {
		return err
	}
	o.Links = a.links
	o.Publish = publishPatterns(a.Config)
	a.added = &permit.AddedRules{}
	o.AddedRules = a.added
	all := append(files.New(files.Options{Downloads: a.received, Links: a.links}), a.fetch, a.shell, skills.New(cfg.Paths.ConfigDir))
	all = append(all, projecttool.New(projecttool.Options{
		Index: a.index, Transitions: a.transitions, Registers: projecttool.RegisterOptions{Files: a.registers.Files, Proposals: a.registers.Proposals},
		Scaffold: ScaffoldOptions(cfg), Snapshot: snapshotOptions(cfg, a.audit, gateOf(a.shell)),
	})...)
	if o.Tools, err = tool.NewSet(all...); err != nil {
		return err
	}
	if len(cfg.MCP) > 0 {
		m := mcpOptions(cfg)
		m.Version, m.Logger, m.Clock, m.Redact = a.version, a.log, time.Now, clean.String
		a.MCP = mcp.New(m)
		o.MoreTools = a.MCP
	}
	o.Requests, o.Audit, o.Redact, o.Gate = a.requests, options.Audit, clean, a.shell
	o.Private = PrivateFolders(cfg)
	a.journal = newJournal(cfg)
	o.Journal = a.journal
	o.Scope = func(projectRoot string, p persona.Persona) tool.Scope {
		return workspace.NewScope(workspace.ScopeOptions{
			WriteScope: p.WriteScope, Persona: p.ID, InstructionRoot: a.Root.Path(), Project: projectRoot,
			Private: hidden(cfg),
		})
	}
	return nil
}

// newJournal is where changes of project files are kept from being half done.
func newJournal(cfg *config.Config) *journal.Store {
	return journal.New(filepath.Join(cfg.Paths.StateDir, "journal"), time.Now)
}

// AuditPath is where the audit log of a state folder lies.
func AuditPath(stateDir string) string { return filepath.Join(stateDir, "audit.jsonl") }

// openAudit opens the audit log, which has no secret of the configuration.
func openAudit(cfg *config.Config) (*permit.Audit, error) {
	audit, err := permit.OpenAudit(AuditPath(cfg.Paths.StateDir), time.Now)
	if err != nil {
		return nil, err
	}
	return audit.Redacting(Redactor(cfg)), nil
}

// Redactor takes the keys of the configuration out of what is written: events, transcripts,
// logs, and what a chat remembers.
func Redactor(cfg *config.Config) *redact.Redactor {
	return redact.New(revealed(cfg.Keys.All)...).WithKeys(revealed(cfg.Keys.Certain)...)
}

func revealed(keys []config.Secret) []string {
	all := make([]string, len(keys))
	for i, key := range keys {
		all[i] = key.Reveal()
	}
	return all
}

func requestsOptions(cfg *config.Config) permit.RequestsOptions {
	return permit.RequestsOptions{Dir: filepath.Join(cfg.Paths.StateDir, "permit"), Timeout: cfg.Permit.Timeout}
}

func shellOptions(cfg *config.Config) shell.Options {
	b := cfg.Bash
	return shell.Options{
		Off: !b.Confine, ReadPaths: b.ReadPaths,
		Hidden:       private(cfg),
		Network:      confine.Network(b.Network),
		ConnectPorts: ports(b.ConnectPorts), ListenPorts: ports(b.ListenPorts), LocalPorts: ports(b.LocalPorts),
		Limits:   confine.Limits{Processes: b.Processes, MemoryBytes: b.MemoryBytes},
		Disk:     quota.Limits{WriteBytes: b.MaxWriteBytes, FreeBytes: b.MinFreeBytes},
		EnvNames: b.Env, StateDir: cfg.Paths.StateDir,
	}
}

// private are the user's own files and folders beside the state folder: no tool
// sees them even where they lie inside a project. A configuration file that was
// named is private alone, because the project may lie beside it. Of the cache,
// commands have the scratch folder of their session.
func private(cfg *config.Config) []string {
	all := []string{filepath.Join(cfg.Paths.CacheDir, "renditions")}
	for _, path := range []string{cfg.Paths.ConfigDir, cfg.Paths.ConfigFile, cfg.TokenFile} {
		if path != "" {
			all = append(all, path)
		}
	}
	return all
}

// hidden are all files and folders of the user and of belay that no tool and no
// caller of a server sees, even where they lie inside a project.
func hidden(cfg *config.Config) []string {
	return append(private(cfg), cfg.Paths.StateDir, cfg.Paths.CacheDir)
}

// PrivateFolders are belay's own folders, in which no project may lie.
func PrivateFolders(cfg *config.Config) []string {
	all := []string{cfg.Paths.StateDir, cfg.Paths.CacheDir, cfg.Paths.ConfigDir}
	return slices.DeleteFunc(all, func(dir string) bool { return dir == "" }) // one that is not known holds nothing
}

// serverPorts are those of this user's servers, which no command may reach. A
// list that cannot be read has none: the state folder is looked at before each
// command, and doctor tells what is wrong with it.
func serverPorts(stateDir string) (all []uint16) {
	servers, _ := Servers(stateDir)
	for _, s := range servers {
		if u, err := url.Parse(s.URL); err == nil {
			all = append(all, ports([]string{u.Port()})...)
		}
	}
	return all
}

// ports are the numbers of ports that the configuration has checked.
func ports(texts []string) []uint16 {
	all := []uint16{}
	for _, s := range texts {
		if n, err := strconv.ParseUint(s, 10, 16); err == nil {
			all = append(all, uint16(n))
		}
	}
	return all
}

func fetchOptions(cfg *config.Config) fetch.Options {
	return fetch.Options{Policy: netguard.Policy{
		AllowedHosts: cfg.Tools.FetchHosts, AllowPrivate: len(cfg.Tools.FetchHosts) > 0,
	}}
}

// hookOptions are the configured hooks, in the order of their names. They run in
// the state folder, where no agent can leave them anything.
func hookOptions(cfg *config.Config) (permit.HookOptions, error) {
	o := permit.HookOptions{Dir: cfg.Paths.StateDir}
	for _, name := range slices.Sorted(maps.Keys(cfg.Hooks)) {
		h := cfg.Hooks[name]
		calls, err := permitRules("hooks."+name+".calls", h.Calls)
		if err != nil {
			return o, err
		}
		o.Hooks = append(o.Hooks, permit.Hook{Name: name, Command: h.Command, Calls: calls, Timeout: h.Timeout})
	}
	return o, nil
}

func toolLimits(cfg *config.Config) tool.Limits {
	t, b := cfg.Tools, cfg.Bash
	return tool.Limits{
		OutputBytes: t.OutputBytes, ReadBytes: tool.MaxReadBytes, WriteBytes: tool.MaxWriteBytes, KeepBytes: t.KeepBytes,
		SendFileBytes: t.SendFileBytes, SendCallBytes: t.SendCallBytes,
		ReceiveFileBytes: t.ReceiveFileBytes, ReceiveCallBytes: t.ReceiveCallBytes,
		Matches: tool.MaxMatches, FetchBytes: tool.MaxFetchBytes, FetchTime: tool.MaxFetchTime,
		CommandTime: b.Timeout, CommandTimeMost: b.TimeoutMost, CommandBytes: tool.MaxCommandOutput,
	}
}
