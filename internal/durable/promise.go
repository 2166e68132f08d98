package durable

// Promise says what a positive answer means: a 2xx answer without a stream, a
// turn's process:exit, or the exit code 0 of a command.
type Promise struct {
	// Route is the endpoint's name in the OpenAPI document, "" where there is none.
	// Command is the same on the command line, "" where there is none.
	Route, Command string
	// Kill is what holds after kill -9 of belay, PowerCut after a power cut.
	Kill, PowerCut string
	// Scenarios are the tests of both, in test/crash: their names, with commas
	// between them. It is "" where nothing is stored.
	Scenarios string
}

const (
	same    = "the same"
	nothing = "nothing is stored"
)

// Promises are those of every endpoint and command that changes something.
func Promises() []Promise {
	return []Promise{
		{"createSession", "", "the session exists", "it may be gone until its first turn has ended", "turns"},
		{"startTurn", "belay turn, belay chat", "the turn is in the transcript, every event that a reader got is in the log, changed files are as the turn left them and can be taken back",
			"the same, but new folders that git ignores may be damaged, and the log may have lost its end: readers get log:gap (lost), no id is used again, and the Idempotency-Key leads to the recorded turn",
			"turns, turn in a known session, attachment, attachment in a known session, finished segments, file tools"},
		{"bootSession", "", "the boot is in the record", same, "boot"},
		{"steerTurn", "belay session steer", "the turn takes the input, or the transcript of the turn that died has it", same, "steering, follow-up taken"},
		{"interruptTurn", "belay session interrupt", "the turn stops; one whose process died has ended anyway, or waits for its decision again", same, "interrupt"},
		{"decide", "belay decision allow, belay decision deny", "the answer counts and is in the audit log", same, "decision, decision for the session"},
		{"undoTurn", "belay session undo", "all files are as before the turn, and the transcript and the audit log say so", same, "undo"},
		{"keepChange", "belay changes keep", "the files are as the command made them, and the transcript and the audit log say so", same, "kept change, kept change of a moment ago"},
		{"dropChange", "belay changes drop", "the change is gone", "it may be kept again", "dropped change"},
		{"forkSession", "belay session fork", "the new session exists", same, "fork"},
		{"updateSession", "", "the session has the title, the mode and the model", same, "changed session"},
		{"dropQueued", "", "no turn takes the input", "it may wait again", "input taken back"},
		{"deleteSession", "belay session delete", "the session is gone", same, "delete"},
		{"importSession", "belay session import", "the session exists, with its log and its files", same, "import"},
		{"uploadAttachment", "", "the file lies at the path of the answer", same, "upload"},
		{"scaffold", "belay project init", "the folders and files exist", same, "scaffold"},
		{"makeExample", "", "the project exists", "it may be incomplete; make it again", ""},
		{"makeTransition", "belay project status", "the deliverable has its new state", same, "transition"},
		{"setCoordination", "belay project coordination", "the record has the mode, and belay undo takes that back", same, "coordination"},
		{"putDependencies", "belay deps import", "the register has the rows, its summary agrees, and belay undo takes that back", same, "register"},
		{"applyProposal", "belay deps import", "the register has the rows of the proposal, and belay undo takes that back", same, "proposal"},
		{"dismissProposal", "belay deps dismiss", "the proposal is gone", same, "dismissal"},
		{"", "belay deps renumber", "every file has its new ids, and belay undo takes that back", same, "ids made valid"},
		{"", "belay config set", "the file has the setting, and everything else that it had", same, "setting"},
		{"", "belay undo", "every file has the bytes that it had before", same, "undo of a command"},
		{"publishSnapshot", "belay snapshot new", "the snapshot is whole and sealed", same, "snapshot"},
		{"startRun", "belay run", "the run exists, and no finished task is done again; one that goes on with a corrected file goes by that file", same, "run, corrected run, large run, race of a large collection"},
		{"cancelRun", "belay runs cancel", "the run stops; one whose process died is cancelled, and nothing takes it up by itself", same, "cancelled run"},
		{"answerRun", "belay runs continue, belay runs refuse", "the answer counts and is in the audit log, at the latest when the run is taken up", same, "answered run"},
		{"startPipeline", "", "each session and its label exist; turns that had not begun begin when the batch is continued", "a session exists once its turn has begun", "turns"},
		{"continueBatch", "", "each turn that has begun is in its transcript", same, "turns"},
		{"stopBatch", "", nothing, nothing, ""},
		{"checkWorkflow", "", nothing, nothing, ""},
		{"previewScaffold", "belay project init --dry-run", nothing, nothing, ""},
		{"addProject", "", "the project is known, and its id leads to it", same, "known project"},
		{"checkProject", "", nothing, nothing, ""},
		{"inspectAttachments", "belay attach inspect", nothing, nothing, ""},
		{"makeLink", "belay open", nothing, nothing, ""},
		{"exchangeLink", "", "the browser has the operator's authority; if its cookie has no Max-Age, only until the server ends", same, "device"},
		{"removeDevice", "", "the browser has no authority any more", same, "removed device"},
		{"logout", "", "the browser has no authority any more", same, "removed device"},
	}
}
