package config

import "time"

const (
	kib = int64(1) << 10
	mib = int64(1) << 20
	gib = int64(1) << 30
	tib = int64(1) << 40
)

// settings is the table: every setting there is, in the order of the reference
// page, bound to the fields of c.
func settings(c *Config) []*key {
	var all []*key
	for _, group := range [][]*key{
		general(c), server(c), observed(c), turns(c), providers(c), attachments(c), declared(c), records(c), discords(c), workspace(c), scaffolding(c), workflows(c), delegation(c), acting(c),
	} {
		all = append(all, group...)
	}
	return all
}

func size(p *int64, least, most int64) value {
	return limit[int64]{p: p, min: least, max: most, form: sizeForm}
}

func duration(p *time.Duration, least, most time.Duration) value {
	return limit[time.Duration]{p: p, min: least, max: most, form: durationForm}
}

func count(p *int, least, most int) value {
	return limit[int]{p: p, min: least, max: most, form: whole[int]()}
}

// orNone lets 0 stand for no limit.
func orNone[T int | int64 | float64 | time.Duration](v limit[T]) value {
	v.none = true
	return v
}

func general(c *Config) []*key {
	return []*key{
		{name: "addr", value: text{&c.Addr, true, address}, def: "127.0.0.1:23529",
			doc: "Where serve listens, host:port; port 0 picks a free one. Any address that is not loopback needs token_file.",
			why: "Other machines use the server, or the port is taken."},
		{name: "project", value: path{&c.Project},
			doc: "Project folder of commands that take one. Blank is the nearest folder around the working directory that is a project, else that directory.",
			why: "Commands run from another folder than the project."},
		{name: "provider", value: choice[string]{&c.Provider, providerNames, map[string]string{"stub": "scripted"}}, def: "scripted",
			aliases: []alias{{name: "CHIRALITY_HARNESS_PROVIDER"}},
			doc:     "Who answers: scripted is built in and works offline; anthropic needs ANTHROPIC_API_KEY; openai is OpenAI or any server with its protocol (openai.base_url) and needs OPENAI_API_KEY unless the server is on this machine.",
			why:     "A real model answers."},
		{name: "model", value: text{p: &c.Model},
			aliases: []alias{{name: "CHIRALITY_GLOBAL_MODEL"}},
			doc:     "Model of turns that name none. Blank leaves it to the frontmatter of the instruction root's AGENTS.md, and then to default_model.",
			why:     "Every turn uses one model, whatever instructions say."},
		{name: "default_model", value: text{p: &c.DefaultModel, needed: true}, def: "claude-sonnet-5", project: suggestion,
			doc: "Model when nothing else names one. The scripted provider has no other than scripted.",
			why: "The project was tried with another model."},
		{name: "effort", value: text{&c.Effort, false, effortWord},
			doc: "How hard models think, in a word of their service: low, medium or high, and with some models minimal, xhigh or max. Blank leaves it to the model. A service refuses a word that the model does not know.",
			why: "Tasks are hard, or answers must be fast or cheap."},
		{name: "instructions", value: path{&c.Instructions},
			aliases: []alias{{name: "CHIRALITY_INSTRUCTION_ROOT"}},
			doc:     "Instruction root with the AGENT_*.md files. Blank is the embedded set; a folder that is not valid is an error, never replaced.",
			why:     "You have personas of your own."},
		{name: "token_file", value: path{&c.TokenFile},
			doc: "File with the access token that requests must carry, required when addr is not loopback.",
			why: "The server listens beyond this machine."},
		{name: "trust_loopback", value: boolean{&c.TrustLoopback}, def: "false",
			doc: "Whether every user of this machine is let in on a loopback address without a token. Otherwise only the user who runs the server is, which Linux alone can tell: elsewhere a token is needed.",
			why: "Nobody else uses the machine, or a proxy of another user connects."},
		{name: "session_root", value: path{&c.SessionRoot},
			aliases: []alias{{name: "CHIRALITY_SESSION_ROOT"}},
			doc:     "One folder for the sessions of all projects. Blank keeps them in each project's .belay.",
			why:     "Conversations are backed up in one place, or lie on a disk of their own."},
		{name: "state_dir", value: path{&c.Paths.StateDir},
			doc: "Folder of the operator's state: tokens, locks, index, bus store. Blank is the system's own place for it, $XDG_STATE_HOME/belay.",
			why: "Two servers run for one user, or the home folder is on a network."},
		{name: "cache_dir", value: path{&c.Paths.CacheDir},
			doc: "Folder of what can be made again, such as downscaled images. Blank is the system's own place for it, $XDG_CACHE_HOME/belay.",
			why: "Another disk has the room."},
		{name: "network.allowed_hosts", value: list{&c.Network.AllowedHosts, host},
			doc: "Hosts beside a provider's own and loopback that a base URL may name.",
			why: "A gateway stands between belay and the model."},
		{name: "network.proxy", value: text{&c.Network.Proxy, false, proxyURL},
			doc: "HTTP proxy for requests to the provider, such as http://proxy.example:3128, without user name and password. Loopback is reached without it. Blank is none: HTTPS_PROXY of the environment is not used. Nothing else goes through it.",
			why: "The network lets programs out through a proxy only."},
	}
}

func server(c *Config) []*key {
	s := &c.Server
	return []*key{
		{name: "server.allowed_hosts", value: list{&s.AllowedHosts, host},
			doc: "Host names that requests may be addressed to, beside loopback names and addr.",
			why: "A reverse proxy or a DNS name leads to the server."},
		{name: "server.project_roots", value: list{&s.ProjectRoots, folderPath},
			doc: "Folders, as absolute paths, in or below which requests may name a project. Blank is any on a loopback address and only the server's own project elsewhere.",
			why: "Callers may use some folders only."},
		{name: "server.max_turns_in_flight", value: count(&s.MaxTurnsInFlight, 1, 1_000_000), def: "2000",
			doc: "Turns that run at once; more get OVERLOADED. A turn that waits for a person does not count; when it goes on it does, even if that is one too many for a while.",
			why: "The machine, or the budget, carries fewer turns."},
		{name: "server.shutdown_grace", value: duration(&s.ShutdownGrace, 10*time.Millisecond, time.Hour), def: "10s",
			doc: "How long running turns may go on after the signal to stop, before they are interrupted.",
			why: "The service manager waits shorter or longer before it kills."},
	}
}

func observed(c *Config) []*key {
	t := &c.Telemetry
	return []*key{
		{name: "telemetry.log_format", value: choice[string]{&t.LogFormat, []string{"text", "json"}, nil}, def: "text",
			doc: "How serve and discord write log lines on stderr: text, or json for programs that collect them.",
			why: "A program collects the lines."},
		{name: "telemetry.log_level", value: choice[string]{&t.LogLevel, []string{"debug", "info", "warn", "error"}, nil}, def: "info",
			doc: "The least important lines that serve and discord write: debug has a line for each request.",
			why: "You look for a fault, or keep fewer lines."},
		{name: "telemetry.traces", value: boolean{&t.Traces}, def: "false",
			doc: "Whether traces of requests and turns are sent by OTLP over HTTP. The standard variables, such as OTEL_EXPORTER_OTLP_ENDPOINT, say where; the default is http://localhost:4318. Traces have ids, times, counts and types of errors, and nothing that people or models write.",
			why: "You look for what takes time."},
	}
}

func turns(c *Config) []*key {
	t := &c.Turn
	return []*key{
		{name: "turn.stall_timeout", value: duration(&t.StallTimeout, time.Millisecond, day), def: "90s", project: tighten,
			aliases: []alias{{"CHIRALITY_ANTHROPIC_STREAM_TIMEOUT_MS", milliseconds}},
			doc:     "Ends a turn whose provider neither sends bytes nor takes more of the request for so long, or sends nothing of an answer for ten times as long.",
			why:     "A local model thinks for minutes before its first word."},
		{name: "turn.wall_limit", value: duration(&t.WallLimit, time.Millisecond, 7*day), def: "30m", project: tighten,
			doc: "Ends a turn that takes longer, whatever it does; the time in which a question waits for a person does not count. opts.timeoutMs can only shorten it.",
			why: "Turns work for hours, or must end soon."},
		{name: "turn.max_turns", value: count(&t.MaxTurns, 1, 100_000), def: "50", project: tighten,
			doc: "Model calls in one turn for which neither opts.maxTurns nor the persona's max_turns says it: a default, which both may exceed. What bounds a turn in any case are turn.wall_limit, turn.max_tokens and turn.max_cost_usd.",
			why: "Tasks need many tool calls, or a loop must end early."},
		{name: "turn.max_tokens", value: orNone(limit[int64]{p: &t.MaxTokens, min: 1, max: 1e9, form: whole[int64]()}), def: "0", project: tighten,
			doc: "Output tokens of one turn. 0 is the model's own maximum.",
			why: "Answers are to be short, or cheap."},
		{name: "turn.max_cost_usd", value: orNone(limit[float64]{p: &t.MaxCostUSD, min: 0, max: 1e6, form: moneyForm}), def: "0", project: tighten,
			doc: "US dollars that one turn may cost; a turn whose first call costs more is refused, and so are models without a price; the scripted provider costs nothing. 0 is no limit.",
			why: "A turn may only cost so much."},
		{name: "turn.instructions_bytes", value: size(&t.InstructionsBytes, 0, 16*mib), def: "32KiB", project: tighten,
			doc: "How much of your own AGENTS.md and of the project's reaches the model, each; the list of skills is no longer either. 0 leaves all out.",
			why: "An AGENTS.md is long, or costs too much in every call."},
	}
}

func providers(c *Config) []*key {
	return []*key{
		{name: "retry.attempts", value: count(&c.Retry.Attempts, 1, 20), def: "3",
			doc: "Calls made for one answer, the first included, while no content has come.",
			why: "The provider is often overloaded, or a script wants to know of the first failure."},
		{name: "retry.max", value: duration(&c.Retry.Max, 0, time.Hour), def: "30s",
			doc: "Longest wait between attempts. A provider that asks for a longer one is not called again: the turn ends and names the time.",
			why: "Runs at night can wait for a rate limit; a person cannot."},
		{name: "scripted.pace", value: duration(&c.Scripted.Pace, 0, time.Minute), def: "35ms",
			doc: "Pause of the scripted provider between pieces of an answer.",
			why: "A demonstration is watched; a test is not."},
		{name: "scripted.script", value: path{&c.Scripted.Script},
			doc: "YAML file with the conversation that the scripted provider plays. Blank echoes.",
			why: "A demonstration or a test has its own conversation."},
		{name: "anthropic.base_url", value: text{&c.Anthropic.BaseURL, true, baseURL}, def: "https://api.anthropic.com",
			aliases: []alias{{name: "CHIRALITY_ANTHROPIC_API_URL"}},
			doc:     "Where the Anthropic provider sends requests. Another host than the default must be loopback or in network.allowed_hosts.",
			why:     "A gateway stands between belay and Anthropic."},
		{name: "anthropic.version", value: text{&c.Anthropic.Version, true, headerWord}, def: "2023-06-01",
			aliases: []alias{{name: "CHIRALITY_ANTHROPIC_VERSION"}},
			doc:     "Value of the anthropic-version header.",
			why:     "The gateway speaks another version."},
		{name: "anthropic.max_tokens", value: orNone(limit[int64]{p: &c.Anthropic.MaxTokens, min: 1, max: 1e9, form: whole[int64]()}), def: "0",
			aliases: []alias{{name: "CHIRALITY_ANTHROPIC_MAX_TOKENS"}},
			doc:     "Output tokens of one call to Anthropic. 0 is the model's own maximum.",
			why:     "Every call is to be short, or cheap."},
		{name: "openai.base_url", value: text{&c.OpenAI.BaseURL, true, baseURL}, def: "https://api.openai.com/v1",
			doc: "Where the OpenAI provider sends requests: chat/completions is below it. For a local server its address and /v1, such as http://127.0.0.1:11434/v1 for Ollama. Another host than the default must be loopback or in network.allowed_hosts.",
			why: "The model runs on your own machine, or at another service."},
		{name: "openai.model", value: text{p: &c.OpenAI.Model}, def: "gpt-5-mini",
			doc: "Model of turns with the OpenAI provider when nothing but a default_model of Anthropic's names one.",
			why: "The server has another model."},
		{name: "openai.context_tokens", value: orNone(limit[int64]{p: &c.OpenAI.ContextTokens, min: 1024, max: 1e9, form: whole[int64]()}), def: "0",
			doc: "Context of a model on another server than OpenAI's, as that was started with. 0 is 32768, and turns with a model that is not known warn that it is assumed. models sets it for one model.",
			why: "The server was started with another context."},
		{name: "openai.image_models", value: list{&c.OpenAI.ImageModels, modelName},
			doc: "Models on another server than OpenAI's that take images, beside the families that are known for it.",
			why: "Your model takes images, and belay does not know it."},
		{name: "openai.max_tokens", value: orNone(limit[int64]{p: &c.OpenAI.MaxTokens, min: 1, max: 1e9, form: whole[int64]()}), def: "0",
			doc: "Output tokens of one call to the OpenAI provider. 0 is the model's own maximum.",
			why: "Every call is to be short, or cheap."},
		{name: "prices", value: perModel(&c.Prices),
			doc: "US dollars per million tokens by model: input, output, cache_read, cache_write. They win over the built-in list, and what is left out is as it says. A model that it does not have needs input and output; its cache_read is then input, its cache_write 1.25 times that.",
			why: "You pay another price, or belay does not know the model."},
		{name: "models", value: perModel(&c.Models),
			doc: "Corrections to what is known of a model: context_tokens, output_tokens.",
			why: "belay does not know the model, or knows it wrongly."},
	}
}

func records(c *Config) []*key {
	return []*key{
		{name: "log.segment_bytes", value: size(&c.Log.SegmentBytes, 64*kib, gib), def: "8MiB",
			doc: "Size at which an event log begins a new file.",
			why: "log.retention is to remove old events sooner: gc removes whole files."},
		{name: "log.retention", value: duration(&c.Log.Retention, 0, 36500*day), def: "0",
			doc: "Age at which gc removes files of event logs. 0 keeps them for ever.",
			why: "Conversations must not be kept for ever."},
		{name: "blobs.retention", value: duration(&c.Blobs.Retention, 0, 36500*day), def: "7d",
			doc: "Age at which gc removes stored attachments that no session refers to. 0 keeps them for ever.",
			why: "The disk is small, or files must be kept for longer."},
		{name: "bus.enabled", value: choice[BusMode]{&c.Bus.Enabled, []BusMode{BusOff, BusAuto, BusOn}, map[string]BusMode{"true": BusOn, "false": BusOff}}, def: "auto",
			doc: "Whether serve runs the embedded message bus, which takes requests of surfaces such as Discord and has what becomes of them. auto does where something uses it: with the token of a Discord bot.",
			why: "Another program asks for work, or reads events."},
	}
}

func delegation(c *Config) []*key {
	return []*key{
		{name: "subagents.enabled", value: boolean{&c.Subagents.Enabled}, def: "false", project: tighten,
			aliases: []alias{{"CHIRALITY_ENABLE_SUBAGENTS", strictlyTrue}},
			doc:     "First gate of delegation. The CHIRALITY_ name counts only as exactly true.",
			why:     "Personas delegate to others."},
	}
}
