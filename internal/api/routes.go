package api

import (
	"encoding/json"
	"net/http"
	"slices"

	"belay/internal/fault"
	"belay/internal/turn"
)

const (
	get    = http.MethodGet
	post   = http.MethodPost
	put    = http.MethodPut
	patch  = http.MethodPatch
	remove = http.MethodDelete
)

// Parameters that several routes share.
var (
	sessionPath = param{in: "path", name: "id", required: true, doc: "the session's id"}
	projectRoot = param{in: "query", name: byRoot, required: true, doc: "absolute path of the project folder"}
)

// Errors that several routes share; what the guard and the router answer on
// every route is in openapi.go.
var (
	rootErrors = []fault.Type{fault.WorkingRootConflict, fault.WorkingRootInaccessible}
	optsErrors = []fault.Type{fault.SessionNotFound, fault.TurnInProgress, fault.SessionReadOnly, fault.MissingAPIKey,
		fault.InstructionRootInvalid, fault.PersonaNotFound, fault.SDKFailure, fault.StorageFailure}
)

func errorsOf(lists ...[]fault.Type) (all []fault.Type) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// routes is the table of every endpoint.
func routes() []route {
	return projectsByID(slices.Concat(harnessRoutes(), controlRoutes(), archiveRoutes(), overviewRoutes(), activityRoutes(), progressRoutes(), eventRoutes(), scaffoldRoutes(), projectRoutes(), searchRoutes(), snapshotRoutes(), auditRoutes(), coordinationRoutes(), deliverableRoutes(), commitRoutes(), registerRoutes(), proposalRoutes(), keptRoutes(), pipelineRoutes(), workflowRoutes(), systemRoutes()))
}

// harnessRoutes are the endpoints about sessions and turns.
func harnessRoutes() []route {
	return []route{
		{method: post, path: "/api/harness/session/create", name: "createSession", summary: "Make a session for a project folder.",
			action: takes(createSession),
			errors: errorsOf(rootErrors, []fault.Type{fault.InvalidRequest, fault.StorageFailure})},
		{method: get, path: "/api/harness/session/list", name: "listSessions", summary: "List a project's sessions, all or page by page.",
			params: []param{projectRoot,
				{in: "query", name: "limit", integer: true, doc: "at most so many, 1 to 1000; all without it"},
				{in: "query", name: "cursor", doc: "the nextCursor of the page before"},
				{in: "query", name: "order", doc: "created, the default: oldest first; used: the one used last first"}},
			action: answers(listSessions),
			errors: errorsOf(rootErrors, []fault.Type{fault.InvalidRequest})},
		{method: get, path: "/api/harness/session/find", name: "findSessions", summary: "The sessions whose id begins with these characters, 20 at most.",
			params: []param{{in: "query", name: "prefix", required: true, doc: "the first characters of an id, at least 4"}},
			action: answers(findSessions), errors: []fault.Type{fault.InvalidRequest}},
		{method: post, path: "/api/harness/session/boot", name: "bootSession", summary: "Run the provider's bootstrap step for a session.",
			action: takes(bootSession),
			errors: errorsOf(rootErrors, optsErrors, []fault.Type{fault.InvalidRequest})},
		{method: get, path: "/api/harness/session/{id}", name: "getSession", summary: "One session's record.",
			params: []param{sessionPath}, action: answers(getSession), errors: []fault.Type{fault.SessionNotFound}},
		{method: remove, path: "/api/harness/session/{id}", name: "deleteSession", summary: "Delete a session; refused while a turn runs.",
			params: []param{sessionPath}, action: answers(deleteSession),
			errors: []fault.Type{fault.SessionNotFound, fault.TurnInProgress}},
		{method: get, path: "/api/harness/session/{id}/transcript", name: "getTranscript", summary: "What was said, line by line.",
			params: []param{sessionPath}, action: answers(getTranscript), errors: []fault.Type{fault.SessionNotFound}},
		{method: get, path: "/api/harness/session/{id}/manifest", name: "getManifest", summary: "Every input that the model saw in a turn, with its digest.",
			params: []param{sessionPath, {in: "query", name: "turn", doc: "the turn's id; the last turn without it"}},
			action: answers(getManifest), errors: []fault.Type{fault.SessionNotFound, fault.NotFound}},
		{method: get, path: "/api/harness/session/{id}/events", name: "streamEvents", summary: "The session's log as Server-Sent Events.",
			params: []param{sessionPath,
				{in: "query", name: "after", integer: true, doc: "the sequence to go on after; 0, the default, is the beginning"},
				{in: "query", name: "turn", doc: "end the stream after this turn's process:exit"},
				{in: "header", name: "Last-Event-ID", integer: true, doc: "as after, and wins over it"}},
			media: eventStream, action: action{serve: serveEvents}, errors: []fault.Type{fault.InvalidRequest, fault.SessionNotFound, fault.NotFound, fault.Overloaded}},

		{method: post, path: "/api/harness/turn", name: "startTurn", summary: "Take a turn; the answer is its events, the last of them process:exit.",
			params: []param{{in: "header", name: "Idempotency-Key",
				doc: "1 to 200 visible ASCII characters; for 24 hours the same key and body give the same turn"}},
			media: eventStream, action: action{body: turnBody{}, serve: serveTurn},
			errors: errorsOf(optsErrors, []fault.Type{fault.InvalidRequest, fault.AttachmentFailure, fault.BudgetExceeded,
				fault.IdempotencyConflict, fault.Overloaded})},
		{method: post, path: "/api/harness/interrupt", name: "interruptTurn", summary: "Stop the turn that runs in a session.",
			action: takes(interruptTurn),
			errors: []fault.Type{fault.InvalidRequest, fault.SessionNotFound}},

		{method: post, path: "/api/harness/steer", name: "steerTurn", summary: "Send a message to the running turn of a session.",
			params: []param{{in: "header", name: "Idempotency-Key", doc: "1 to 200 visible ASCII characters; a message with the same key is sent into the session once"}},
			action: takes(steerTurn),
			errors: []fault.Type{fault.SessionNotFound, fault.NoTurnInProgress, fault.IdempotencyConflict, fault.AttachmentFailure, fault.Overloaded, fault.StorageFailure}},
		{method: get, path: "/api/harness/decisions", name: "listDecisions", summary: "The calls that wait for a person, oldest first.", access: operator,
			params: []param{{in: "query", name: "sessionId", doc: "of this session; of all without it"}},
			action: answers(listDecisions), errors: []fault.Type{fault.InvalidRequest, fault.SessionNotFound}},
		{method: post, path: "/api/harness/decision", name: "decide", summary: "Answer what a call waits for. The first answer counts.", access: operator,
			action: action{body: decisionBody{}, answer: decisionAnswer{}, serve: serveDecision},
			errors: []fault.Type{fault.SessionNotFound, fault.NotFound, fault.DecisionClosed, fault.StorageFailure}},
		{method: get, path: "/api/harness/session/{id}/changes", name: "getChanges", summary: "The files that turns changed, as unified diffs.",
			params: []param{sessionPath, {in: "query", name: "turn", doc: "of this turn; of all without it"}},
			action: answers(getChanges), errors: []fault.Type{fault.InvalidRequest, fault.SessionNotFound, fault.NotFound, fault.StorageFailure}},
		{method: post, path: "/api/harness/undo", name: "undoTurn", summary: "Take a turn's file changes back, all of them or none.", access: operator,
			action: takes(undoTurn),
			errors: errorsOf(rootErrors, []fault.Type{fault.SessionNotFound, fault.NotFound, fault.TurnInProgress, fault.SessionReadOnly,
				fault.ContentChanged, fault.Overloaded, fault.StorageFailure})},
		{method: post, path: "/api/harness/session/fork", name: "forkSession", summary: "A new session that goes on from the end of another one's turn.",
			action: takes(forkSession),
			errors: errorsOf(rootErrors, []fault.Type{fault.SessionNotFound, fault.NotFound, fault.TurnInProgress, fault.StorageFailure})},

		{method: post, path: "/api/harness/attachments", name: "uploadAttachment", summary: "Store a file; the answer's path is what a turn takes.",
			params: []param{{in: "query", name: "sessionId", doc: "the session whose project gets the file"},
				{in: "query", name: "projectRoot", doc: "or the project folder itself"}},
			action: action{body: uploadForm{}, answer: turn.Uploaded{}, serve: serveUpload},
			errors: errorsOf(rootErrors, []fault.Type{fault.InvalidRequest, fault.SessionNotFound, fault.AttachmentFailure, fault.StorageFailure})},
		{method: post, path: "/api/harness/attachments/inspect", name: "inspectAttachments", summary: "What a turn would make of these files, without taking one.",
			action: takes(inspectAttachments),
			errors: errorsOf(rootErrors, []fault.Type{fault.InvalidRequest, fault.SessionNotFound})},
		{method: get, path: "/api/harness/blob/{sha256}", name: "getBlob", summary: "The bytes of an attachment of a session, as a download.",
			params: []param{{in: "path", name: "sha256", required: true, doc: "64 hex digits"},
				{in: "query", name: "sessionId", required: true, doc: "a session that has the attachment"}},
			media: "application/octet-stream", action: action{serve: serveBlob}, errors: []fault.Type{fault.InvalidRequest, fault.SessionNotFound, fault.NotFound}},

		{method: get, path: "/api/harness/personas", name: "listPersonas", summary: "Whom a turn can be sent to.",
			action: answers(listPersonas), errors: []fault.Type{fault.InstructionRootInvalid}},
		{method: get, path: "/api/harness/personas/{name}", name: "getPersona", summary: "One persona with its instructions.",
			params: []param{{in: "path", name: "name", required: true, doc: "a persona's id or alias"}},
			action: answers(getPersona), errors: []fault.Type{fault.InstructionRootInvalid, fault.PersonaNotFound}},
	}
}

// systemRoutes are the endpoints about the server itself.
func systemRoutes() []route {
	return []route{
		{method: get, path: "/api/usage", name: "usage", summary: "Tokens and cost by day, project and model, as belay usage prints them.",
			params: []param{{in: "query", name: "since", doc: "the first UTC day to count, YYYY-MM-DD; all without it"}},
			action: answers(usage), errors: []fault.Type{fault.InvalidRequest}},
		{method: get, path: "/api/harness/models", name: "listModels", summary: "The models that are known of the provider, with their limits and prices.",
			action: answers(listModels), errors: []fault.Type{fault.NotFound, fault.InstructionRootInvalid}},
		{method: get, path: "/api/system/info", name: "systemInfo", summary: "What a client has to know before it shows anything: provider, defaults, limits, and the parts that are switched on.",
			action: answers(systemInfo), errors: []fault.Type{fault.NotFound, fault.InstructionRootInvalid}},
		{method: get, path: "/api/system/doctor", name: "doctor", summary: "What this machine has and lacks, as belay doctor prints it.",
			action: action{answer: json.RawMessage(nil), serve: serveDoctor}, errors: []fault.Type{fault.NotFound}},
		{method: get, path: "/api/system/config", name: "showConfig", summary: "Every setting with its origin, as belay config show prints it.",
			action: action{answer: json.RawMessage(nil), serve: serveConfig}, errors: []fault.Type{fault.NotFound}},

		{method: post, path: "/api/auth/link", name: "makeLink", summary: "A fresh one-time link to the page.", access: operator,
			action: answers(makeLink)},
		{method: post, path: "/api/auth/exchange", name: "exchangeLink", summary: "Turn a one-time link's code into the operator's cookie.", access: public,
			action: takes(exchangeLink), errors: []fault.Type{fault.InvalidRequest, fault.Unauthorized, fault.NotFound}},

		{method: get, path: "/api/auth/devices", name: "listDevices", summary: "The browsers that have the operator's authority, the one used last first.", access: operator,
			action: answers(listDevices), errors: []fault.Type{fault.StorageFailure}},
		{method: remove, path: "/api/auth/device/{id}", name: "removeDevice", summary: "Take the operator's authority from a browser. Its open streams end.", access: operator,
			params: []param{{in: "path", name: "id", required: true, doc: "the device's id"}},
			action: answers(removeDevice), errors: []fault.Type{fault.NotFound, fault.StorageFailure}},
		{method: post, path: "/api/auth/logout", name: "logout", summary: "Take the operator's authority from the browser that asks, which forgets its cookie.", access: public,
			action: answers(logout), errors: []fault.Type{fault.NotFound, fault.StorageFailure}},

		{method: get, path: "/healthz", name: "health", summary: "The process answers.", access: public, action: answers(health)},
		{method: get, path: "/readyz", name: "ready", summary: "New work is welcome; what the server goes without, and which projects take no writes.", access: public, action: answers(ready),
			errors: []fault.Type{fault.Overloaded}},
		{method: get, path: "/metrics", name: "metrics", summary: "Counters in the Prometheus text format.", media: "text/plain", action: action{serve: serveMetrics}},
		{method: get, path: "/debug/pprof/{profile}", name: "profile", summary: "A profile of the server, for go tool pprof: allocs, cpu, goroutine, heap or threadcreate.",
			media: "application/octet-stream", access: operator, action: action{serve: serveProfile}, errors: []fault.Type{fault.InvalidRequest, fault.NotFound, fault.Overloaded},
			params: []param{{in: "path", name: "profile", required: true, doc: "which one"}, {in: "query", name: "seconds", integer: true, doc: "how long a CPU profile takes, 1 to 60; 10 without it"}}},
		{method: get, path: "/openapi.json", name: "openapi", summary: "This reference as an OpenAPI 3.1 document.", tagged: true, action: action{answer: map[string]any{}, serve: serveOpenAPI}},
		{method: get, path: "/docs", name: "docs", summary: "This reference as a page.", media: "text/html", action: action{serve: serveDocs}},
	}
}

// uploadForm describes the form of an upload.
type uploadForm struct {
	File []byte `json:"file" doc:"the file; its name is kept for display, its Content-Type is ignored"`
}
