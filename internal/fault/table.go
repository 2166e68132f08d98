package fault

// The types of the compatible contract, then those that belay adds.
const (
	InvalidRequest          Type = "INVALID_REQUEST"
	TurnInProgress          Type = "TURN_IN_PROGRESS"
	MissingAPIKey           Type = "MISSING_API_KEY"
	SessionNotFound         Type = "SESSION_NOT_FOUND"
	PersonaNotFound         Type = "PERSONA_NOT_FOUND"
	InstructionRootInvalid  Type = "INSTRUCTION_ROOT_INVALID"
	SDKFailure              Type = "SDK_FAILURE"
	WorkingRootInaccessible Type = "WORKING_ROOT_INACCESSIBLE"
	WorkingRootConflict     Type = "WORKING_ROOT_CONFLICT"
	AttachmentFailure       Type = "ATTACHMENT_FAILURE"

	InvalidProjectRoot      Type = "INVALID_PROJECT_ROOT"
	DeliverableOutside      Type = "DELIVERABLE_PATH_OUTSIDE_PROJECT_ROOT"
	DeliverableNotFound     Type = "DELIVERABLE_NOT_FOUND"
	StatusFileNotFound      Type = "STATUS_FILE_NOT_FOUND"
	WorkspaceFileReadFailed Type = "WORKSPACE_FILE_READ_FAILED"
	WorkspaceFailure        Type = "WORKSPACE_FAILURE"
	InvalidStatusFormat     Type = "INVALID_STATUS_FORMAT"
	InvalidState            Type = "INVALID_STATE"
	InvalidDate             Type = "INVALID_DATE"
	BackwardTransition      Type = "BACKWARD_TRANSITION"
	TransitionNotAllowed    Type = "TRANSITION_NOT_ALLOWED"
	UnauthorizedActor       Type = "UNAUTHORIZED_ACTOR"
	ApprovalSHARequired     Type = "APPROVAL_SHA_REQUIRED"
	InvalidApprovalSHA      Type = "INVALID_APPROVAL_SHA"

	RegisterNotFound              Type = "DEPENDENCY_REGISTER_NOT_FOUND"
	InvalidSchema                 Type = "INVALID_SCHEMA"
	InvalidEnum                   Type = "INVALID_ENUM"
	InvalidClassification         Type = "INVALID_CLASSIFICATION"
	InvalidProvenance             Type = "INVALID_PROVENANCE"
	InvalidIdentity               Type = "INVALID_IDENTITY"
	InvalidTarget                 Type = "INVALID_TARGET"
	DuplicateDependencyID         Type = "DUPLICATE_DEPENDENCY_ID"
	InvalidSatisfactionTransition Type = "INVALID_SATISFACTION_TRANSITION"
	RowDeletionRefused            Type = "ROW_DELETION_REFUSED"
	InvalidCell                   Type = "INVALID_CELL"

	Unauthorized         Type = "UNAUTHORIZED"
	Forbidden            Type = "FORBIDDEN"
	NotFound             Type = "NOT_FOUND"
	MethodNotAllowed     Type = "METHOD_NOT_ALLOWED"
	RequestTooLarge      Type = "REQUEST_TOO_LARGE"
	TurnTimeout          Type = "TURN_TIMEOUT"
	BudgetExceeded       Type = "BUDGET_EXCEEDED"
	IdempotencyConflict  Type = "IDEMPOTENCY_CONFLICT"
	SessionReadOnly      Type = "SESSION_READ_ONLY"
	Overloaded           Type = "OVERLOADED"
	NoTurnInProgress     Type = "NO_TURN_IN_PROGRESS"
	AmbiguousName        Type = "AMBIGUOUS_NAME"
	DecisionClosed       Type = "DECISION_CLOSED"
	ContentChanged       Type = "CONTENT_CHANGED"
	PreconditionRequired Type = "PRECONDITION_REQUIRED"
	StorageFailure       Type = "STORAGE_FAILURE"

	InvalidWorkflow Type = "INVALID_WORKFLOW"
	RunNotFound     Type = "RUN_NOT_FOUND"
	RunInProgress   Type = "RUN_IN_PROGRESS"
	RunNotRunning   Type = "RUN_NOT_RUNNING"
	RunCancelled    Type = "RUN_CANCELLED"
	TaskFailed      Type = "TASK_FAILED"
	TaskTimeout     Type = "TASK_TIMEOUT"
	AnswerInvalid   Type = "ANSWER_INVALID"
)

// Spec describes one error type for the reference table.
type Spec struct {
	Type    Type
	Status  int
	Meaning string
	Hint    string
}

// Types lists every error type, compatible ones first.
func Types() []Spec { return append([]Spec(nil), table...) }

// Status returns the type's default HTTP status.
func (t Type) Status() int {
	if s, ok := specs[t]; ok {
		return s.Status
	}
	return 500
}

var table = []Spec{
	{InvalidRequest, 400, "The request is malformed; the message names the field.", "correct the named field and send the request again"},
	{TurnInProgress, 409, "Another turn runs in this session.", "wait for it, interrupt it, or send opts.onBusy \"queue\""},
	{MissingAPIKey, 503, "The provider needs a key and none is configured.", "set ANTHROPIC_API_KEY in the environment that belay runs in"},
	{SessionNotFound, 404, "No session has this id, or none is running a turn (interrupt).", "list the project's sessions with belay session list"},
	{PersonaNotFound, 404, "The instruction root has no such persona.", "list the personas with belay persona list"},
	{InstructionRootInvalid, 500, "The configured instruction root lacks required files.", "restore the entries named in details, or unset the instruction root to use the embedded one"},
	{SDKFailure, 500, "The provider or the program failed; details.category says how.", "send the turn again; if it persists, run belay doctor"},
	{WorkingRootInaccessible, 404, "The project folder is missing, not a folder, not readable, not writable for a request that writes, the root of the file system, or in /proc, /sys, /dev or a folder of belay.", "check the path and its permissions"},
	{WorkingRootConflict, 409, "The project folder lies inside the instruction root.", "choose a project folder outside the instruction root"},
	{AttachmentFailure, 400, "Attachments were refused and nothing is left to send.", "fix the files named in details.attachmentErrors or add a message"},
	{InvalidProjectRoot, 400, "The project folder that the request names is missing, blank or not an absolute path.", "send projectRoot as an absolute path"},
	{DeliverableOutside, 400, "The deliverable's folder, or a file in it, does not lie in the project, by its name or by where a link leads.", "send deliverablePath as an absolute path inside projectRoot"},
	{DeliverableNotFound, 404, "No folder is at deliverablePath, or no deliverable that is worked on has the name; details.nearest may list what was meant.", "list the project's deliverables with belay project list"},
	{StatusFileNotFound, 404, "The deliverable has no _STATUS.md.", "let PREPARATION make the file, or restore it from version control"},
	{WorkspaceFileReadFailed, 500, "A file of the project could not be read.", "check the file's permissions and its disk"},
	{WorkspaceFailure, 500, "A file of the project could not be worked with; the message says why.", "fix what the message names, and try again"},
	{InvalidStatusFormat, 400, "_STATUS.md does not say in which state the deliverable is, or in a form that cannot be edited safely; details.parseDetails says what is missing.", "fix the file by hand as details.parseDetails says"},
	{InvalidState, 400, "The target, or the state that the deliverable is in, is none of the lifecycle's.", "use OPEN, INITIALIZED, SEMANTIC_READY, IN_PROGRESS, CHECKING or ISSUED"},
	{InvalidDate, 400, "The date is not one of the calendar, lies before the history's last entry, or lies in the future.", "send the date as YYYY-MM-DD, or none for today"},
	{BackwardTransition, 400, "The target lies before the state that the deliverable is in.", "a deliverable only goes forward; a person who must correct its state edits _STATUS.md"},
	{TransitionNotAllowed, 400, "No transition leads from this state to the target; states cannot be skipped.", "go to the next state"},
	{UnauthorizedActor, 400, "The actor may not make this transition.", "let one who may do it"},
	{ApprovalSHARequired, 400, "Reviews and releases need the commit that a person approved.", "name the commit with approvalSha, by 7 to 64 hex digits of its id"},
	{InvalidApprovalSHA, 400, "approvalSha is not 7 to 64 hex digits, or names no commit of the repository that the project lies in.", "commit what is approved, and send that commit's id"},
	{RegisterNotFound, 404, "The deliverable has no Dependencies.csv.", "apply a proposal with belay deps import, or write the register's rows"},
	{InvalidSchema, 400, "A row is of another schema than v3.1, or the register is damaged so that nothing can be written to it safely.", "belay deps lint names the lines; fix them in an editor"},
	{InvalidEnum, 400, "A cell of a register holds a word that its column does not take.", "use one of the words that the message names"},
	{InvalidClassification, 400, "The class, the anchor type and the type of a row do not go together.", "an ANCHOR row has an anchor type and the type OTHER, an EXECUTION row the anchor type NOT_APPLICABLE"},
	{InvalidProvenance, 400, "An ACTIVE row does not say where its evidence stands.", "name the document and the section, or write location TBD"},
	{InvalidIdentity, 400, "A row lacks an id, or has one that is ill-formed or another deliverable's.", "write ids like DEP-01-02-003 and DEL-01-02"},
	{InvalidTarget, 400, "A row's target is not named as its type demands.", "give a deliverable's id for targets of type DELIVERABLE, and for no other"},
	{DuplicateDependencyID, 400, "Two rows have the same DependencyID.", "give one of them a number of its own"},
	{InvalidSatisfactionTransition, 400, "A dependency's satisfaction cannot go from what it was to what is wanted.", "go step by step, as the message says; a person who must correct it edits the file"},
	{RowDeletionRefused, 400, "Rows of a register are never deleted, and some are not in the request; details.dependencyIds names them.", "send every row; give those that are no longer observed Status=RETIRED"},
	{InvalidCell, 400, "A cell begins like a formula, is too long, or holds what no cell may.", "begin the cell with a word, without control characters"},
	{Unauthorized, 401, "A bearer token is required and missing or wrong.", "send Authorization: Bearer with the server's token, or open the page with belay open"},
	{Forbidden, 403, "The request comes from a host or origin that is not allowed, concerns a project that the server does not serve, or lacks the operator's authority; details.reason says which.", "use the address that the server printed"},
	{NotFound, 404, "No such endpoint, or no such part of a session.", "check the name in the message, and list what there is"},
	{MethodNotAllowed, 405, "The endpoint exists, but not with this method.", "use the method named in the Allow header"},
	{RequestTooLarge, 413, "The body is larger than the limit that the message names.", "make it smaller, or raise the setting that is named"},
	{TurnTimeout, 504, "The turn reached its wall-clock limit.", "raise opts.timeoutMs or the configured limit"},
	{BudgetExceeded, 400, "The turn's budget does not allow even one model call.", "raise the budget named in the message"},
	{IdempotencyConflict, 409, "The idempotency key was used with another body.", "use a new key for a new request"},
	{SessionReadOnly, 409, "The session folder is a copy; the original still exists.", "adopt the copy with belay session import"},
	{Overloaded, 503, "The server has reached its limit of concurrent work.", "try again shortly"},
	{NoTurnInProgress, 409, "No turn runs in this session, so nothing can be said into one.", "send the message as a turn of its own"},
	{AmbiguousName, 409, "Several deliverables or packages have the name; details.candidates lists names that each fit one of them.", "name one of the candidates"},
	{DecisionClosed, 409, "The question was answered already, or its time is over.", "list the open ones with belay decision list"},
	{ContentChanged, 412, "A file was changed since; details.paths names it.", "look at the file as it is now, and decide anew"},
	{PreconditionRequired, 428, "A write does not say which content it was decided by, and the server demands that.", "read the file, and send its entity tag in If-Match"},
	{StorageFailure, 507, "A record could not be written, or, with status 500, not be read; the disk may be full.", "see what belay doctor says of the disk and of permissions, then try again"},
	{InvalidWorkflow, 400, "The workflow file, or what it is given, is not valid; details.problems lists every problem with its place.", "correct what details.problems names"},
	{RunNotFound, 404, "The project has no such run.", "list the project's runs with belay runs list"},
	{RunInProgress, 409, "A process works on the run.", "follow it with belay runs show, or stop it with belay runs cancel"},
	{RunNotRunning, 409, "The run has come to its end, so there is nothing to stop.", "see how it ended with belay runs show"},
	{RunCancelled, 409, "Somebody cancelled the run.", "take it up again with belay run --resume"},
	{TaskFailed, 500, "A task of a workflow failed; the message says why.", "fix what the message names"},
	{TaskTimeout, 504, "A task of a workflow did not end in its time.", "raise the task's timeout or its budget's max_time"},
	{AnswerInvalid, 502, "A model's answer is not of the form that the action's output asks for, also after it was asked again.", "see the answer in the task's session; make the prompt or the schema plainer"},
}

var specs = func() map[Type]Spec {
	m := make(map[Type]Spec, len(table))
	for _, s := range table {
		m[s.Type] = s
	}
	return m
}()
