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
		general(c), server(c), turns(c), providers(c), attachments(c), declared(c), records(c), workspace(c), making(c), workflows(c), delegation(c), acting(c),
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
			doc: "Where serve listens, host:port; port 0 picks a free one. Any address that is not loopback needs token_file."},
		{name: "project", value: path{&c.Project},
			doc: "Project folder of commands that take one. Blank is the working directory."},
		{name: "provider", value: choice[string]{&c.Provider, providerNames, map[string]string{"stub": "scripted"}}, def: "scripted",
			aliases: []alias{{name: "CHIRALITY_HARNESS_PROVIDER"}},
			doc:     "Who answers: scripted is built in and works offline; anthropic needs ANTHROPIC_API_KEY; openai is OpenAI or any server with its protocol (openai.base_url) and needs OPENAI_API_KEY unless the server is on this machine."},
		{name: "model", value: text{p: &c.Model},
			aliases: []alias{{name: "CHIRALITY_GLOBAL_MODEL"}},
			doc:     "Model of turns that name none. Blank leaves it to the frontmatter of the instruction root's AGENTS.md, and then to default_model."},
		{name: "default_model", value: text{p: &c.DefaultModel, needed: true}, def: "claude-sonnet-4-20250514", project: suggestion,
			doc: "Model when nothing else names one. The scripted provider has no other than scripted."},
		{name: "instructions", value: path{&c.Instructions},
			aliases: []alias{{name: "CHIRALITY_INSTRUCTION_ROOT"}},
			doc:     "Instruction root with the AGENT_*.md files. Blank is the embedded set; a folder that is not valid is an error, never replaced."},
		{name: "persona.file_bytes", value: size(&c.Persona.FileBytes, kib, 64*mib), def: "1MiB",
			doc: "Largest instruction file that is read."},
		{name: "token_file", value: path{&c.TokenFile},
			doc: "File with the access token that requests must carry, required when addr is not loopback."},
		{name: "trust_loopback", value: boolean{&c.TrustLoopback}, def: "false",
			doc: "Whether every user of this machine is let in on a loopback address without a token. Otherwise only the user who runs the server is, which Linux alone can tell: elsewhere a token is needed."},
		{name: "session_root", value: path{&c.SessionRoot},
			aliases: []alias{{name: "CHIRALITY_SESSION_ROOT"}},
			doc:     "One folder for the sessions of all projects. Blank keeps them in each project's .belay."},
		{name: "state_dir", value: path{&c.Paths.StateDir},
			doc: "Folder of the operator's state: tokens, locks, index, bus store. Blank is the system's own place for it, $XDG_STATE_HOME/belay."},
		{name: "cache_dir", value: path{&c.Paths.CacheDir},
			doc: "Folder of what can be made again, such as downscaled images. Blank is the system's own place for it, $XDG_CACHE_HOME/belay."},
		{name: "network.allowed_hosts", value: list{&c.Network.AllowedHosts, host},
			doc: "Hosts beside a provider's own and loopback that a base URL may name."},
	}
}

func server(c *Config) []*key {
	s := &c.Server
	return []*key{
		{name: "server.allowed_hosts", value: list{&s.AllowedHosts, host},
			doc: "Host names that requests may be addressed to, beside loopback names and addr."},
		{name: "server.project_roots", value: list{&s.ProjectRoots, folderPath},
			doc: "Folders, as absolute paths, in or below which requests may name a project. Blank is any on a loopback address and only the server's own project elsewhere."},
		{name: "server.body_bytes", value: size(&s.BodyBytes, kib, gib), def: "4MiB",
			doc: "Largest JSON request body. Uploads have attachments.upload_bytes."},
		{name: "server.header_timeout", value: duration(&s.HeaderTimeout, time.Second, time.Hour), def: "10s",
			doc: "How long a client may take to send a request's headers."},
		{name: "server.body_timeout", value: duration(&s.BodyTimeout, time.Second, time.Hour), def: "30s",
			doc: "How long a client may take to send a JSON body, and each read of an upload."},
		{name: "server.header_bytes", value: size(&s.HeaderBytes, kib, 16*mib), def: "64KiB",
			doc: "Largest headers of a request."},
		{name: "server.idle_timeout", value: duration(&s.IdleTimeout, time.Second, day), def: "2m",
			doc: "How long a connection without a request stays open."},
		{name: "server.max_turns_in_flight", value: count(&s.MaxTurnsInFlight, 1, 1_000_000), def: "2000",
			doc: "Turns that run at once; more get OVERLOADED. A turn that waits for a person does not count; when it goes on it does, even if that is one too many for a while."},
		{name: "server.max_streams", value: count(&s.MaxStreams, 1, 1_000_000), def: "8192",
			doc: "Event streams that are open at once; more get OVERLOADED."},
		{name: "server.shutdown_grace", value: duration(&s.ShutdownGrace, 10*time.Millisecond, time.Hour), def: "10s",
			doc: "How long running turns may go on after the server is told to stop, before they are interrupted."},
		{name: "sse.keepalive", value: duration(&c.SSE.Keepalive, time.Second, time.Hour), def: "15s",
			doc: "Silence on an event stream after which a comment line is sent."},
		{name: "sse.write_timeout", value: duration(&c.SSE.WriteTimeout, 100*time.Millisecond, time.Hour), def: "30s",
			doc: "How long a reader may take nothing before its stream is closed. The turn goes on; the reader may come back."},
		{name: "delta.interval", value: duration(&c.Delta.Interval, 0, time.Minute), def: "25ms",
			doc: "Shortest time between two events with pieces of an answer; the first piece is never delayed. 0 sends each piece at once."},
		{name: "delta.bytes", value: size(&c.Delta.Bytes, 1, mib), def: "4KiB",
			doc: "Gathered text that is sent before delta.interval is over."},
	}
}

func turns(c *Config) []*key {
	t := &c.Turn
	return []*key{
		{name: "turn.stall_timeout", value: duration(&t.StallTimeout, time.Millisecond, day), def: "90s", project: tighten,
			aliases: []alias{{"CHIRALITY_ANTHROPIC_STREAM_TIMEOUT_MS", milliseconds}},
			doc:     "Ends a turn whose provider sends no bytes for so long, or nothing but keep-alives for ten times as long."},
		{name: "turn.wall_limit", value: duration(&t.WallLimit, time.Millisecond, 7*day), def: "30m", project: tighten,
			doc: "Ends a turn that takes longer, whatever it does; the time in which a question waits for a person does not count. opts.timeoutMs can only shorten it."},
		{name: "turn.max_turns", value: count(&t.MaxTurns, 1, 100_000), def: "50", project: tighten,
			doc: "Model calls in one turn for which neither opts.maxTurns nor the persona's max_turns says it: a default, which both may exceed. What bounds a turn in any case are turn.wall_limit, turn.max_tokens and turn.max_cost_usd."},
		{name: "turn.max_tokens", value: orNone(limit[int64]{p: &t.MaxTokens, min: 1, max: 1e9, form: whole[int64]()}), def: "0", project: tighten,
			doc: "Output tokens of one turn. 0 is the model's own maximum."},
		{name: "turn.max_cost_usd", value: orNone(limit[float64]{p: &t.MaxCostUSD, min: 0, max: 1e6, form: moneyForm}), def: "0", project: tighten,
			doc: "US dollars that one turn may cost; a turn whose first call costs more is refused, and so are models without a price. 0 is no limit."},
		{name: "turn.message_bytes", value: size(&t.MessageBytes, 1, gib), def: "1MiB", project: tighten,
			doc: "Longest message of a person. Longer text is attached as a file."},
		{name: "turn.answer_bytes", value: size(&t.AnswerBytes, kib, gib), def: "8MiB", project: tighten,
			doc: "Most that one model call may send."},
		{name: "turn.instructions_bytes", value: size(&t.InstructionsBytes, 0, 16*mib), def: "32KiB", project: tighten,
			doc: "How much of the project's AGENTS.md reaches the model. 0 leaves it out."},
		{name: "turn.queue_length", value: count(&t.QueueLength, 0, 10_000), def: "8",
			doc: "Turns that may wait for a busy session with opts.onBusy queue."},
		{name: "turn.queue_wait", value: duration(&t.QueueWait, 0, day), def: "10m",
			doc: "How long a queued turn waits."},
		{name: "turn.idempotency_ttl", value: duration(&t.IdempotencyTTL, 0, 365*day), def: "1d",
			doc: "How long an Idempotency-Key is remembered. 0 forgets it at once."},
	}
}

func providers(c *Config) []*key {
	return []*key{
		{name: "retry.attempts", value: count(&c.Retry.Attempts, 1, 20), def: "3",
			doc: "Calls made for one answer, the first included, while no content has come."},
		{name: "retry.base", value: duration(&c.Retry.Base, 0, time.Hour), def: "500ms",
			doc: "Wait before the second attempt; it doubles from there. A provider's Retry-After is obeyed; above retry.max it ends the turn, which then says until when to wait."},
		{name: "retry.max", value: duration(&c.Retry.Max, 0, time.Hour), def: "30s",
			doc: "Longest wait between attempts. A provider that asks for a longer one is not called again: the turn ends and names the time."},
		{name: "scripted.pace", value: duration(&c.Scripted.Pace, 0, time.Minute), def: "35ms",
			doc: "Pause of the scripted provider between pieces of an answer."},
		{name: "scripted.script", value: path{&c.Scripted.Script},
			doc: "YAML file with the conversation that the scripted provider plays. Blank echoes."},
		{name: "anthropic.base_url", value: text{&c.Anthropic.BaseURL, true, baseURL}, def: "https://api.anthropic.com",
			aliases: []alias{{name: "CHIRALITY_ANTHROPIC_API_URL"}},
			doc:     "Where the Anthropic provider sends requests. Another host than the default must be loopback or in network.allowed_hosts."},
		{name: "anthropic.version", value: text{&c.Anthropic.Version, true, headerWord}, def: "2023-06-01",
			aliases: []alias{{name: "CHIRALITY_ANTHROPIC_VERSION"}},
			doc:     "Value of the anthropic-version header."},
		{name: "anthropic.max_tokens", value: orNone(limit[int64]{p: &c.Anthropic.MaxTokens, min: 1, max: 1e9, form: whole[int64]()}), def: "0",
			aliases: []alias{{name: "CHIRALITY_ANTHROPIC_MAX_TOKENS"}},
			doc:     "Output tokens of one call to Anthropic. 0 is the model's own maximum."},
		{name: "anthropic.connect_timeout", value: duration(&c.Anthropic.ConnectTimeout, time.Millisecond, time.Hour), def: "10s",
			doc: "How long connecting to Anthropic may take, TLS included."},
		{name: "anthropic.header_timeout", value: duration(&c.Anthropic.HeaderTimeout, time.Millisecond, time.Hour), def: "60s",
			doc: "How long Anthropic may take to begin its answer."},
		{name: "anthropic.stream_bytes", value: size(&c.Anthropic.StreamBytes, kib, gib), def: "64MiB",
			doc: "Largest answer from Anthropic as it comes over the network, several times its text."},
		{name: "anthropic.line_bytes", value: size(&c.Anthropic.LineBytes, kib, gib), def: "4MiB",
			doc: "Longest line of such an answer."},
		{name: "openai.base_url", value: text{&c.OpenAI.BaseURL, true, baseURL}, def: "https://api.openai.com/v1",
			doc: "Where the OpenAI provider sends requests: chat/completions is below it. For a local server its address and /v1, such as http://127.0.0.1:11434/v1 for Ollama. Another host than the default must be loopback or in network.allowed_hosts."},
		{name: "openai.model", value: text{p: &c.OpenAI.Model}, def: "gpt-5-mini",
			doc: "Model of turns with the OpenAI provider when nothing but a default_model of Anthropic's names one."},
		{name: "openai.context_tokens", value: orNone(limit[int64]{p: &c.OpenAI.ContextTokens, min: 1024, max: 1e9, form: whole[int64]()}), def: "0",
			doc: "Context of a model on another server than OpenAI's, as that was started with. 0 is 32768, and turns with a model that is not known warn that it is assumed. models sets it for one model."},
		{name: "openai.image_models", value: list{&c.OpenAI.ImageModels, modelName},
			doc: "Models on another server than OpenAI's that take images, beside the families that are known for it."},
		{name: "openai.max_tokens", value: orNone(limit[int64]{p: &c.OpenAI.MaxTokens, min: 1, max: 1e9, form: whole[int64]()}), def: "0",
			doc: "Output tokens of one call to the OpenAI provider. 0 is the model's own maximum."},
		{name: "openai.connect_timeout", value: duration(&c.OpenAI.ConnectTimeout, time.Millisecond, time.Hour), def: "10s",
			doc: "How long connecting to the OpenAI provider may take, TLS included."},
		{name: "openai.header_timeout", value: duration(&c.OpenAI.HeaderTimeout, time.Millisecond, time.Hour), def: "5m",
			doc: "How long the OpenAI provider may take to begin its answer: a local server loads the model first. turn.stall_timeout may end the turn before."},
		{name: "openai.stream_bytes", value: size(&c.OpenAI.StreamBytes, kib, gib), def: "64MiB",
			doc: "Largest answer from the OpenAI provider as it comes over the network, many times its text."},
		{name: "openai.line_bytes", value: size(&c.OpenAI.LineBytes, kib, gib), def: "4MiB",
			doc: "Longest line of such an answer."},
		{name: "prices", value: priceTable(&c.Prices),
			doc: "US dollars per million tokens by model: input, output, cache_read, cache_write. They win over the built-in list."},
		{name: "models", value: modelTable(&c.Models),
			doc: "Corrections to what is known of a model: context_tokens, output_tokens."},
	}
}

func records(c *Config) []*key {
	return []*key{
		{name: "session.idle_close", value: duration(&c.Session.IdleClose, time.Second, day), def: "60s",
			doc: "How long a session that nobody runs or reads stays open in memory."},
		{name: "session.idle_max", value: count(&c.Session.IdleMax, 1, 1_000_000), def: "1024",
			doc: "How many sessions that nobody runs or reads may stay open in memory, with up to three files each: no more than take half of the files that the process may open. The one used longest ago goes first."},
		{name: "session.poll", value: duration(&c.Session.Poll, 10*time.Millisecond, time.Hour), def: "1s",
			doc: "How often files of other processes are looked at, should a notification of the system be missed."},
		{name: "session.import_bytes", value: size(&c.Session.ImportBytes, mib, tib), def: "4GiB",
			doc: "Size of an imported session once it is unpacked."},
		{name: "session.import_files", value: count(&c.Session.ImportFiles, 1, 10_000_000), def: "20000",
			doc: "Files of an imported session."},
		{name: "log.segment_bytes", value: size(&c.Log.SegmentBytes, 64*kib, gib), def: "8MiB",
			doc: "Size at which an event log begins a new file."},
		{name: "log.tail_bytes", value: size(&c.Log.TailBytes, 4*kib, gib), def: "64KiB",
			doc: "How much of a live log is kept in memory for readers; those further behind read the file."},
		{name: "log.retention", value: duration(&c.Log.Retention, 0, 36500*day), def: "0",
			doc: "Age at which gc removes files of event logs. 0 keeps them for ever."},
		{name: "blobs.retention", value: duration(&c.Blobs.Retention, 0, 36500*day), def: "7d",
			doc: "Age at which gc removes stored attachments that no session refers to. 0 keeps them for ever."},
		{name: "bus.enabled", value: choice[BusMode]{&c.Bus.Enabled, []BusMode{BusOff, BusAuto, BusOn}, map[string]BusMode{"true": BusOn, "false": BusOff}}, def: "auto",
			doc: "Whether serve publishes events on the embedded message bus. auto does where something reads them, which nothing does yet."},
		{name: "bus.max_bytes", value: size(&c.Bus.MaxBytes, mib, tib), def: "256MiB",
			doc: "Disk space of the bus, the oldest messages removed first."},
		{name: "bus.max_age", value: duration(&c.Bus.MaxAge, time.Minute, 3650*day), def: "1d",
			doc: "Age at which messages leave the bus."},
		{name: "bus.ack_timeout", value: duration(&c.Bus.AckTimeout, 10*time.Millisecond, time.Hour), def: "5s",
			doc: "How long the bus may take to confirm a batch."},
	}
}

func delegation(c *Config) []*key {
	return []*key{
		{name: "subagents.enabled", value: boolean{&c.Subagents.Enabled}, def: "false", project: tighten,
			aliases: []alias{{"CHIRALITY_ENABLE_SUBAGENTS", strictlyTrue}},
			doc:     "First gate of delegation. The CHIRALITY_ name counts only as exactly true."},
		{name: "subagents.warn", value: duration(&c.Subagents.Warn, 0, time.Hour), def: "0",
			aliases: []alias{{"CHIRALITY_SUBAGENT_GOVERNANCE_WARN_MS", milliseconds}},
			doc:     "Logs a decision about delegation that took longer. 0 never does."},
	}
}
