package config

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// removed is a setting of earlier versions. Its value is a constant now, in the
// package that uses it. Files that have the setting still load.
type removed struct {
	name string
	// now is the constant as people read it; doc says what it bounds.
	now, doc string
	// instead is set for a setting that limited cost, the network or what agents may
	// do. Its silent absence would loosen what somebody had decided, so it is an
	// error, and instead says what limits that now.
	instead string
	// aliases are its environment variables beside BELAY_<NAME>.
	aliases []string
}

// removedSettings has an entry for every setting that was removed, in the order in
// which they were on the reference page.
var removedSettings = []removed{
	{name: "persona.file_bytes", now: "1 MiB", doc: "Largest instruction file that is read."},
	{name: "server.body_bytes", now: "4 MiB", doc: "Largest JSON request body. Uploads have attachments.upload_bytes."},
	{name: "server.header_timeout", now: "10 s", doc: "Time for a client to send a request's headers."},
	{name: "server.body_timeout", now: "30 s", doc: "Time for a client to send a JSON body, and for each read of an upload."},
	{name: "server.header_bytes", now: "64 KiB", doc: "Largest headers of a request."},
	{name: "server.idle_timeout", now: "2 min", doc: "A connection without a request is closed after it."},
	{name: "server.max_streams", now: "8192", doc: "Event streams that are open at once; more get OVERLOADED."},
	{name: "sse.keepalive", now: "15 s", doc: "Silence on an event stream after which a comment line is sent."},
	{name: "sse.write_timeout", now: "30 s", doc: "A reader that takes nothing for so long loses its stream. The turn goes on; the reader may come back."},
	{name: "delta.interval", now: "25 ms", doc: "Shortest time between two events with pieces of an answer. The first piece is never delayed."},
	{name: "delta.bytes", now: "4 KiB", doc: "Text that is sent before that time is over."},
	{name: "turn.message_bytes", now: "1 MiB", doc: "Longest message of a person. Longer text is attached as a file.",
		instead: "turn.max_cost_usd limits what a turn costs"},
	{name: "turn.answer_bytes", now: "8 MiB", doc: "Longest answer of one model call.",
		instead: "turn.max_tokens and turn.max_cost_usd limit what a turn costs"},
	{name: "turn.queue_length", now: "8", doc: "Turns that may wait for a busy session with opts.onBusy queue."},
	{name: "turn.queue_wait", now: "10 min", doc: "Longest wait of a queued turn."},
	{name: "turn.idempotency_ttl", now: "1 day", doc: "An Idempotency-Key is remembered for so long."},
	{name: "retry.base", now: "500 ms", doc: "Wait before the second attempt of a provider call; it doubles from there, up to retry.max."},
	{name: "anthropic.connect_timeout", now: "10 s", doc: "Time to connect to a provider, TLS included."},
	{name: "anthropic.header_timeout", now: "60 s", doc: "Time for Anthropic to begin its answer."},
	{name: "anthropic.stream_bytes", now: "64 MiB", doc: "Largest answer of a provider as it comes over the network, several times its text."},
	{name: "anthropic.line_bytes", now: "4 MiB", doc: "Longest line of such an answer."},
	{name: "openai.connect_timeout", now: "10 s", doc: "The same for OpenAI."},
	{name: "openai.header_timeout", now: "1 h", doc: "Time for OpenAI or a local server, which loads the model first, to begin its answer. turn.stall_timeout ends the turn before."},
	{name: "openai.stream_bytes", now: "64 MiB", doc: "The same for OpenAI."},
	{name: "openai.line_bytes", now: "4 MiB", doc: "The same for OpenAI."},
	{name: "attachments.max_pixels", now: "100 million", doc: "Pixels of the largest image that is decoded to be downscaled. A larger one reaches the model as a note."},
	{name: "attachments.pixel_budget", now: "50 million", doc: "Pixels that are decoded at one time in the whole process, about 8 bytes of memory each. A larger image is decoded alone."},
	{name: "attachments.work_limit", now: "30 s", doc: "Time to downscale one image or read the text of one PDF."},
	{name: "attachments.rendition_cache_bytes", now: "512 MiB", doc: "Disk space for downscaled images and extracted text. The least used are removed first."},
	{name: "attachments.pdf_text_bytes", now: "8 MiB", doc: "Most text that is taken from one PDF."},
	{name: "attachments.pdf_idle", now: "60 s", doc: "The PDF engine is unloaded after so long without work."},
	{name: "attachments.max_parallel", now: "8", doc: "Downloads at one time, in the whole process.",
		instead: "attachments.temp_dir_quota_bytes limits all downloads together"},
	{name: "attachments.mime_head_max_bytes", now: "3072 bytes", doc: "Beginning of a workflow's attachment that tells its type.", aliases: []string{"ATTACHMENTS_MIME_HEAD_MAX_BYTES"}},
	{name: "session.idle_close", now: "60 s", doc: "A session that nobody runs or reads is closed in memory after it."},
	{name: "session.idle_max", now: "1024", doc: "Sessions that nobody runs or reads and that stay open in memory: no more than take half of the files that the process may open."},
	{name: "session.poll", now: "1 s", doc: "Files of other processes are looked at so often, should a notification of the system be missed."},
	{name: "session.import_bytes", now: "4 GiB", doc: "Size of an imported session once it is unpacked."},
	{name: "session.import_files", now: "20000", doc: "Files of an imported session."},
	{name: "log.tail_bytes", now: "64 KiB", doc: "Part of a live log that is kept in memory for readers. Those further behind read the file."},
	{name: "bus.max_bytes", now: "256 MiB", doc: "Disk space of the bus. The oldest messages are removed first."},
	{name: "bus.max_age", now: "1 day", doc: "Age at which messages leave the bus."},
	{name: "bus.ack_timeout", now: "5 s", doc: "Time for the bus to confirm a message."},
	{name: "workspace.max_folders", now: "1000000", doc: "Folders of a project that are looked at. A larger one is listed in part, and says so."},
	{name: "workspace.max_depth", now: "32", doc: "Depth to which the folders of a project are looked at."},
	{name: "workspace.file_bytes", now: "16 MiB", doc: "Largest file of a project that is read to check it."},
	{name: "workspace.view_bytes", now: "8 MiB", doc: "Most of one file of a project that is shown."},
	{name: "workspace.status_bytes", now: "1 MiB", doc: "Largest _STATUS.md that is read for a deliverable's history, or changed by a transition."},
	{name: "workspace.max_watches", now: "200000", doc: "Folders of one project that the system watches for changes. A larger project is polled."},
	{name: "workspace.poll", now: "2 s", doc: "A project whose changes the system cannot tell is looked at so often."},
	{name: "workspace.idle", now: "10 min", doc: "The index of a project that nobody asks for is dropped after it."},
	{name: "workspace.proposals", now: "100", doc: "Proposals for registers of one project that may wait for a person. More are refused."},
	{name: "workspace.proposals_kept", now: "200", doc: "Proposals of one project that are kept after they were applied, dismissed or superseded."},
	{name: "scaffold.decomposition_bytes", now: "8 MiB", doc: "Largest decomposition document that a root is made of."},
	{name: "snapshot.files", now: "100000", doc: "Files and folders of one snapshot."},
	{name: "workflow.file_bytes", now: "1 MiB", doc: "Largest workflow file."},
	{name: "workflow.retry_delay", now: "1 s", doc: "Wait before the first retry of a task. Each further one waits twice as long."},
	{name: "subagents.warn", now: "never", doc: "Decisions about delegation are not timed.", aliases: []string{"CHIRALITY_SUBAGENT_GOVERNANCE_WARN_MS"}},
	{name: "tools.read_bytes", now: "16 MiB", doc: "Most that one call of read looks at."},
	{name: "tools.write_bytes", now: "8 MiB", doc: "Largest file that a tool writes.",
		instead: "permit.deny refuses calls of write and edit"},
	{name: "tools.matches", now: "500", doc: "Most results of one glob, grep or list.",
		instead: "tools.output_bytes limits what a call tells the model"},
	{name: "tools.fetch_bytes", now: "8 MiB", doc: "Largest download of fetch.",
		instead: "fetch.allowed_hosts and permit.deny limit what fetch reaches"},
	{name: "tools.fetch_timeout", now: "30 s", doc: "Time for one download of fetch.",
		instead: "fetch.allowed_hosts and permit.deny limit what fetch reaches"},
	{name: "bash.output_bytes", now: "48 KiB", doc: "Part of a command's output that is kept, its beginning and its end.",
		instead: "tools.output_bytes limits what a call tells the model"},
	{name: "bash.files", now: "4096", doc: "Files that one process of a command may have open.",
		instead: "bash.processes and bash.memory_bytes limit what a command uses"},
	{name: "bash.file_bytes", now: "4 GiB", doc: "Largest file that a command may write.",
		instead: "bash.max_write_bytes limits what a command writes"},
}

func removedSetting(name string) (removed, bool) {
	i := slices.IndexFunc(removedSettings, func(r removed) bool { return r.name == name })
	if i < 0 {
		return removed{}, false
	}
	return removedSettings[i], true
}

// envs are the variables that set it.
func (r removed) envs() []string { return append([]string{envName(r.name)}, r.aliases...) }

// problem says that the setting is there at a place of a file, a variable or a flag
// although it limits nothing any more.
func (r removed) problem(where string) Problem {
	return Problem{
		Where: where, Key: r.name, Message: fmt.Sprintf("is not a setting any more and limits nothing; the value is always %s", r.now),
		Hint: "remove it; " + r.instead,
	}
}

// ignore reports a removed setting: as a warning, or as a problem where it limited
// something.
func (b *builder) ignore(r removed, where string) {
	if r.instead != "" {
		b.problems = append(b.problems, r.problem(where))
		return
	}
	b.warnings = append(b.warnings, fmt.Sprintf("%s: %s has no effect any more; the value is always %s", where, r.name, r.now))
}

// ignored is a removed setting that a file has.
type ignored struct {
	setting removed
	at      *yaml.Node
}

// ignoreRemoved reports the removed settings of a file.
func (b *builder) ignoreRemoved(f *file) {
	for _, i := range f.ignored {
		b.ignore(i.setting, f.where(i.at, i.setting.instead != ""))
	}
}

// ignoreVariables reports the removed settings of the environment.
func (b *builder) ignoreVariables(env map[string]string) {
	for _, r := range removedSettings {
		for _, name := range r.envs() {
			if strings.TrimSpace(env[name]) != "" {
				b.ignore(r, "env "+name)
			}
		}
	}
}

// Constant is a limit that was a setting once and has one value now. Instead is set
// where the old setting is an error; it says what limits the same now.
type Constant struct{ Key, Value, Doc, Instead string }

// Constants are the limits that were settings, in the order of the reference page.
func Constants() []Constant {
	all := make([]Constant, len(removedSettings))
	for i, r := range removedSettings {
		all[i] = Constant{r.name, r.now, r.doc, r.instead}
	}
	return all
}
