package api

import (
	"belay/internal/fault"
	"belay/internal/workspace/registerlint"
	"belay/internal/workspace/scan"
	"belay/internal/workspace/validate"
)

// workingRoot is projectRoot for the endpoints about a project's contents.
var workingRoot = param{in: "query", name: byRoot, required: true, doc: "absolute path of the project folder"}

// projectErrors are those of a project folder that is looked at.
var projectErrors = []fault.Type{fault.InvalidProjectRoot, fault.WorkingRootInaccessible, fault.InvalidRequest}

// statusErrors are those of a deliverable's status, transitionErrors those of
// changing it.
var (
	statusErrors = []fault.Type{fault.DeliverableOutside, fault.DeliverableNotFound, fault.StatusFileNotFound, fault.WorkspaceFileReadFailed,
		fault.InvalidStatusFormat, fault.NotFound}
	transitionErrors = []fault.Type{fault.InvalidState, fault.BackwardTransition, fault.TransitionNotAllowed, fault.UnauthorizedActor,
		fault.ApprovalSHARequired, fault.InvalidApprovalSHA, fault.InvalidDate, fault.ContentChanged, fault.WorkspaceFailure, fault.Overloaded,
		fault.StorageFailure}
)

// projectRoutes are the endpoints about what a project holds.
func projectRoutes() []route {
	return []route{
		{method: post, path: "/api/working-root/validate", name: "checkProject", summary: "Whether a folder can be looked at as a project.",
			action: action{body: projectBody{}, answer: projectAnswer{}, serve: serveCheckProject}, errors: projectErrors},
		{method: get, path: "/api/working-root/tree", name: "getTree", summary: "A project's folders and files, a few levels deep.",
			params: []param{workingRoot,
				{in: "query", name: "depth", doc: "levels, 1 to 6; 3 without it, and where it is no number. A number outside of that counts as the nearest one, as in the original system"},
				{in: "query", name: "path", doc: "the folder to begin with, relative to the project or absolute; the project without it"},
				{in: "query", name: "offset", integer: true, doc: "how many entries of that folder to leave out"},
				{in: "query", name: "limit", integer: true, doc: "how many entries of that folder to list, 1 to 1000; 60 without it, as of every folder below"}},
			action: answers(getTree), errors: errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.WorkspaceFileReadFailed})},
		{method: get, path: "/api/working-root/scope", name: "getScope", summary: "The deliverables and knowledge type folders that can be worked on.",
			params: []param{workingRoot}, action: action{answer: scopeAnswer{}, serve: serveScope}, tagged: true, errors: errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.Overloaded})},
		{method: get, path: "/api/working-root/deliverable/status", name: "getStatus", summary: "A deliverable's state and how it came there.",
			params: []param{workingRoot, {in: "query", name: "deliverablePath", required: true, doc: "absolute path of the deliverable's folder"}},
			action: answers(getStatus), errors: errorsOf(projectErrors, statusErrors)},
		{method: post, path: "/api/working-root/deliverable/status/transition", name: "makeTransition", summary: "Move a deliverable on to another state.",
			params: preconditions("the etag of the status that this was decided by; any without it"),
			action: takes(makeTransition), errors: errorsOf(projectErrors, statusErrors, transitionErrors)},

		{method: get, path: "/api/project/deliverables", name: "listDeliverables", summary: "The deliverables of a project with their states.",
			params: []param{workingRoot,
				{in: "query", name: "short", doc: "true for an answer whose knowledgeTypes and knowledgeFolders are empty: of ten thousand deliverables they are two thirds"}},
			action: action{answer: scan.Listing{}, serve: serveDeliverables}, tagged: true,
			errors: errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.Overloaded})},
		{method: get, path: "/api/project/graph", name: "getGraph", summary: "The dependencies between deliverables: nodes, edges, circles, order, what is ready and what blocks. It is the whole project's, or a part.",
			params: []param{workingRoot,
				{in: "query", name: "deliverable", doc: "only this deliverable and its neighbours, by its id, key, folder or label"},
				{in: "query", name: "impact", doc: "only this deliverable and what a change to it reaches, named likewise"},
				{in: "query", name: "blocking", doc: "true for no other components and cycles than those of blocking dependencies"}},
			action: action{answer: graphAnswer{}, serve: serveGraph}, tagged: true,
			errors: errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.DeliverableNotFound, fault.AmbiguousName, fault.Overloaded})},
		{method: get, path: "/api/project/validate", name: "validateProject", summary: "A project held against the specification, as belay project validate prints it.",
			params: append([]param{workingRoot}, filterParams...), action: action{answer: validate.Report{}, serve: serveValidate}, tagged: true,
			errors: errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.DeliverableNotFound, fault.AmbiguousName, fault.Overloaded})},
		{method: get, path: "/api/project/lint", name: "lintRegisters", summary: "Every register of dependencies judged by the rules of the format, as belay deps lint prints it.",
			params: append([]param{workingRoot}, filterParams...), action: action{answer: registerlint.Report{}, serve: serveLint}, tagged: true,
			errors: errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.DeliverableNotFound, fault.AmbiguousName, fault.Overloaded})},
		{method: get, path: "/api/project/events", name: "streamProject", summary: "What changes in a project, as Server-Sent Events: project:ready, then project:changed, or project:reset where changes are not known one by one.",
			params: []param{workingRoot,
				{in: "query", name: "after", integer: true, doc: "the version to go on after; without it, now"},
				{in: "header", name: "Last-Event-ID", integer: true, doc: "as after, and wins over it"}},
			media: eventStream, action: action{serve: serveProjectEvents}, errors: errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.Overloaded})},
		{method: get, path: "/api/project/file", name: "getProjectFile", summary: "One file of a project, as plain text, a picture or a download. Belay-Truncated says that it has more.",
			params: []param{workingRoot, {in: "query", name: "path", required: true, doc: "the file, relative to the project or absolute"},
				{in: "query", name: "download", doc: "true for the whole file, as a download"},
				{in: "header", name: "Range", doc: "one part of the file, bytes=FIRST-LAST; several are as none"},
				{in: "header", name: "If-Range", doc: "the entity tag of the content that the part is wanted of; the beginning of another one comes as 200"}},
			media: "text/plain", action: action{serve: serveFile}, tagged: true, ranged: true, errors: errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.WorkspaceFileReadFailed})},
		{method: get, path: "/api/project/recent", name: "listProjects", summary: "The projects that this user has worked on, the latest first.",
			action: answers(listProjects), errors: []fault.Type{fault.NotFound, fault.StorageFailure}},
	}
}
