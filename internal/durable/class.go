package durable

// Class says what a file of belay must survive.
type Class int

// The classes. A crash of the process alone (kill -9) costs neither of them
// anything: a write that returned is in the system's cache.
const (
	// Rebuildable files may be lost or torn by a power cut. They are never
	// flushed. What is in them can be made again from a kept file, and their
	// content shows whether it is whole.
	Rebuildable Class = iota
	// Kept files survive a power cut once the write that made them returned: the
	// content is flushed before the file gets its name, the folder afterwards.
	Kept
)

// String implements [fmt.Stringer].
func (c Class) String() string {
	if c == Kept {
		return "kept"
	}
	return "rebuildable"
}

// File is one kind of file that belay writes. Every write names its kind, so
// the class is decided in one table ([Files]) and nowhere else.
type File struct {
	// Name is how people call the kind. The places where it is flushed are named
	// by it ([Op.Point]).
	Name  string
	Class Class
	// Place is where such files lie.
	Place string
	// Note says what a rebuildable file is made of, or when a kept one is flushed.
	Note string
}

// ContentPoint names the flush of such a file's content.
func (f *File) ContentPoint() string { return f.Name + ": content" }

// FolderPoint names the flush of the folder that such a file lies in.
func (f *File) FolderPoint() string { return f.Name + ": folder" }

// The kinds of files in a session's folder and beside it.
var (
	Transcript = &File{"transcript", Kept, "PROJECT/.belay/sessions/ID/transcript.jsonl",
		"flushed when a turn ends, before process:exit, and before any 2xx answer that rests on it"}
	SessionRecord = &File{"session record", Rebuildable, "PROJECT/.belay/sessions/ID/session.json",
		"made again from the transcript; it has a checksum"}
	EventLog = &File{"event log", Rebuildable, "PROJECT/.belay/sessions/ID/log/NNNN.jsonl",
		"the last segment; readers learn of a lost end, and a turn's end is made again from the transcript"}
	LogSegment = &File{"finished log segment", Kept, "PROJECT/.belay/sessions/ID/log/NNNN.jsonl",
		"flushed when the next segment begins"}
	Blob      = &File{"blob", Kept, "PROJECT/.belay/blobs/SHA256", "flushed before what refers to it is acknowledged"}
	Upload    = &File{"upload", Kept, "PROJECT/.belay/uploads/ID/NAME", "flushed before the answer"}
	Ignore    = &File{"ignore file", Rebuildable, "PROJECT/.belay/.gitignore", "written again when it is missing"}
	Imported  = &File{"imported session", Kept, "PROJECT/.belay/sessions/ID/…", "flushed before the answer"}
	Discarded = &File{"deleted session", Kept, "PROJECT/.belay/sessions/.deleted-ID", "the rename is flushed before the answer; the content is removed afterwards"}
)

// The kinds of files in the state folder.
var (
	Settings      = &File{"settings", Kept, "the user's config.yaml", "flushed before belay config set returns"}
	KnownProject  = &File{"known project", Kept, "STATE/projects/HASH", "flushed before the first session of a project is made"}
	SessionIndex  = &File{"session index", Rebuildable, "STATE/sessions/ID", "made again from the known projects"}
	LeaseNote     = &File{"lease note", Rebuildable, "STATE/locks/ID.lock", "it has a checksum; without it the session's files are read again"}
	SegmentHashes = &File{"segment hashes", Rebuildable, "STATE/seals/ID", "without it a finished segment is not checked"}
	SessionList   = &File{"session list", Rebuildable, "STATE/lists/…", "made again when a part of a project's sessions is listed; it has a checksum"}
	SessionUses   = &File{"session uses", Rebuildable, "STATE/uses", "made again with the next turn; a list then looks at every session once more"}
	Interrupt     = &File{"interrupt", Rebuildable, "STATE/interrupts/ID", "it matters only while the turn runs"}
	SteerInput    = &File{"steering input", Kept, "STATE/inputs/ID/…", "flushed before the answer; removed when the transcript that has it is flushed"}
	Question      = &File{"permission request", Rebuildable, "STATE/permit/pending/ID.json", "it matters only while its turn waits; a turn whose question is lost has ended"}
	Decision      = &File{"decision", Kept, "STATE/permit/verdicts/ID.json", "flushed before the answer"}
	Grant         = &File{"session grant", Kept, "STATE/permit/grants/ID.jsonl", "flushed before the answer"}
	Audit         = &File{"audit log", Kept, "STATE/audit.jsonl", "flushed before a decision that it records counts"}
	AuditHead     = &File{"audit head", Kept, "STATE/audit.jsonl.head", "flushed after the log"}
	Secret        = &File{"token", Kept, "STATE/…", "flushed when it is made"}
	Devices       = &File{"devices", Kept, "STATE/devices.json", "flushed before a browser has the operator's authority, and before it is said to have lost it"}
	Running       = &File{"running server", Rebuildable, "STATE/servers/…", "it matters only while the server runs"}
	RunGrant      = &File{"run grant", Kept, "STATE/runs/ID.json", "flushed before the run begins"}
	RunCancel     = &File{"run cancel", Rebuildable, "STATE/runs/ID.cancel", "it matters only while the run goes on"}
	RunAlive      = &File{"run alive", Rebuildable, "STATE/runs/ID.lock", "when a process worked on the run last; without it the last event says so"}
	RunWait       = &File{"run wait", Rebuildable, "STATE/runs/ID.HASH.wait", "made again when the run is taken up; a server takes the run up by it"}
	RunAnswer     = &File{"run answer", Kept, "STATE/runs/ID.HASH.answer", "flushed before the answer"}
	CommandState  = &File{"command state", Rebuildable, "STATE/…", "what a command found and left; looked at again"}
	FileAddress   = &File{"address of a file", Rebuildable, "STATE/links/HASH.json", "the surface that the file came through gives it again, or a person sends the file again"}
	Cache         = &File{"cache", Rebuildable, "CACHE/…, scratch folders", "can be made again"}
	ChatHistory   = &File{"chat history", Rebuildable, "STATE/history", "typed lines of the chat; a lost one is not missed"}
)

// The kinds of files of the Discord surface.
var (
	DiscordChannel  = &File{"Discord channel", Kept, "STATE/discord/channels/ID.jsonl", "flushed before a message is acted on, and after each message that was sent"}
	DiscordBindings = &File{"Discord bindings", Kept, "STATE/discord/bindings.json", "flushed before /link is answered"}
)

// The kinds of files of a project.
var (
	ProjectFile  = &File{"project file", Kept, "PROJECT/…", "replaced through the journal or by its own tool: flushed, renamed, folder flushed"}
	JournalEntry = &File{"journal record", Kept, "STATE/journal/PROJECT/ID.json", "flushed before the first file of the project changes"}
	Original     = &File{"journal content", Kept, "PROJECT/.belay/journal/ID/…", "flushed before the project changes, but for what is new in folders that git ignores"}
	Snapshot     = &File{"snapshot", Kept, "PROJECT/…/_snapshots/…", "flushed before it gets its name"}
	Proposal     = &File{"proposal", Kept, "PROJECT/.belay/proposals/…", "flushed before the answer"}
	Undo         = &File{"undo record", Kept, "STATE/undo/PROJECT/ID.json", "flushed before the first file of the project changes"}
	RunClosed    = &File{"closed run wait", Rebuildable, "STATE/runs/ID.DECISION.closed", "it only shows that a late answer comes too late"}
	RunRecord    = &File{"run record", Kept, "PROJECT/.belay/runs/ID/…", "flushed before the next task begins"}
	RunLog       = &File{"run log", Kept, "PROJECT/.belay/runs/ID/events.jsonl", "flushed with the run's records"}
	KeptChange   = &File{"kept change", Rebuildable, "PROJECT/.belay/changes/ID/…", "what a command made of files that it did not change yet; after a power cut it may be damaged, which its hashes tell"}
	Draft        = &File{"snapshot draft", Rebuildable, "a hidden folder beside the snapshots", "flushed as a part of the snapshot before that gets its name"}
)

// Files are all kinds, in the order in which the documentation lists them.
func Files() []*File {
	return []*File{
		Transcript, SessionRecord, EventLog, LogSegment, Blob, Upload, Imported, Discarded, Ignore,
		ProjectFile, JournalEntry, Original, Snapshot, Proposal, Undo, RunRecord, RunLog, Draft,
		SteerInput, Question, Decision, Grant, Audit, AuditHead, Secret, Devices, RunGrant, RunWait, RunAnswer, RunClosed, DiscordChannel, DiscordBindings,
		Settings, KnownProject, SessionIndex, LeaseNote, SegmentHashes, SessionList, SessionUses, Interrupt, Running, RunCancel, RunAlive, KeptChange, CommandState, ChatHistory, FileAddress, Cache,
	}
}
