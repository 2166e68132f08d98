package browser

import (
	"path/filepath"
	"strings"

	"github.com/chromedp/chromedp"
)

// at is a screen of a view that an address shows.
func at(server, name, title, path, ready string) screen {
	return screen{view: view{name: name, path: path, ready: ready}, title: title, server: server}
}

// opened is the screen after a click.
func (s screen) opened(open, then string) screen {
	s.open, s.then = open, then
	return s
}

// and is the screen after a second click.
func (s screen) and(next, last string) screen {
	s.next, s.last = next, last
	return s
}

// after is the screen after what act does.
func (s screen) after(act func(b *tab)) screen {
	s.act = act
	return s
}

// scrolledTo is the view with a part of it at the top.
func scrolledTo(selector string) func(b *tab) {
	return func(b *tab) {
		value[bool](b, "document.querySelector('"+selector+"').scrollIntoView({ block: 'start' }) === undefined")
	}
}

var workbenchScreens = []chapter{
	{"Workbench", []screen{
		at("fresh", "first-run", "The first start", "/", "#try-example"),
		at("agent", "new", "A new session, with the verdict on each file before it is sent", "/?new=1", "#files li.ready").after(refused),
		at("agent", "preview", "A file before it is sent", "/?new=1", "#files li.ready").opened("#files li:nth-child(2) .preset", "dialog canvas[data-drawn]"),
		at("agent", "asks", "A question in a conversation", "{waiting}", ".question .diff-lines"),
		at("agent", "session", "A turn that is done", "{session}", ".turn-actions .changes"),
		at("agent", "options", "The options of a turn", "{session}", ".turn-actions .changes").opened("#more-options", "dialog[open]"),
		at("agent", "manifest", "What the model saw", "{session}", ".turn-actions .changes").opened(".saw", ".manifest"),
		at("agent", "changes", "The changes of a turn, to be taken back", "{session}", ".turn-actions .changes").opened(".turn-actions .changes", "dialog .diff-lines"),
		at("agent", "menu", "What can be done with a session", "{session}", ".turn-actions .changes").opened("#session-menu", "[role=menu]"),
		at("agent", "compact", "Before the context of the model is freed", "{session}", ".turn-actions .changes").opened("#session-menu", "[role=menu]").and("[role=menu] [data-item=compact]", "#compact"),
		at("agent", "delete", "Before a session is deleted", "{session}", ".turn-actions .changes").opened("#session-menu", "[role=menu]").and("[role=menu] .danger", "#delete"),
		at("agent", "activity", "What runs now", "{session}", ".turn-actions .changes").opened("#activity", ".actives li"),
	}},
	{"Inbox", []screen{
		at("agent", "inbox", "Questions that wait", "/inbox", ".pane .row"),
		at("agent", "question", "One question, as its link opens it", "{question}", ".question .diff-lines"),
		at("memory", "command", "What a command has changed, file by file", "/q/dec_2", ".question .pick"),
		at("site", "kept", "Changes that are kept, because nobody answered in time", "{kept}", ".question .diff-lines"),
		at("agent", "closed", "Closed questions", "/inbox?show=closed", ".closed-list li"),
		at("fresh", "inbox-empty", "Nothing waits", "/inbox", ".empty-main"),
	}},
	{"Settings", []screen{
		at("agent", "settings", "This page", "/settings", ".settings fieldset"),
		at("agent", "server", "The server's settings, each with its origin", "/settings?show=server", "[data-setting=provider]"),
		at("agent", "checks", "Checks", "/settings?show=checks", ".checks li"),
		at("agent", "devices", "Devices", "/settings?show=devices", ".device"),
		at("site", "usage", "Usage and cost", "/settings?show=usage", ".usage tbody tr"),
	}},
	{"From everywhere", []screen{
		at("agent", "palette", "Go to anything", "{session}", ".turn-actions .changes").opened("[aria-label='Go to anything']", "dialog[open] .row"),
		at("agent", "keys", "The keys", "{session}", ".turn-actions .changes").opened("[aria-label=Keys]", "dialog[open] .key-list"),
	}},
	{"When something is wrong", []screen{
		at("agent", "error", "A session that is gone", "/s/never", ".dock .notice"),
		at("agent", "missing", "An address that leads nowhere", "/p/nowhere/at/all", ".empty-main"),
		at("agent", "gone", "A project that is gone", "/p/never", ".empty-main"),
	}},
}

var projectScreens = []chapter{
	{"Overview", []screen{
		at("site", "portal", "The overview", "{site}", ".commands li"),
		at("agent", "since", "What happened since the last visit", "{bridge}", ".happenings li").after(scrolledTo(".since")),
		at("site", "deliverables", "The deliverables, filtered", "{site}?state=in_progress", ".commands li").after(scrolledTo(".filters")),
		at("site", "selection", "Deliverables chosen for an agent", "{site}?state=in_progress", ".commands li").opened("#select-shown", ".portal-selection").after(scrolledTo(".filters")),
		at("agent", "projects", "The projects", "{bridge}", ".deliverables .line").opened("#switch-project", "dialog .project-row"),
		at("agent", "scaffold", "A project of a decomposition", "{bridge}", ".deliverables .line").opened("#switch-project", "dialog .project-row").and("dialog #scaffold", "#scaffold-form"),
	}},
	{"Pipeline", []screen{
		at("site", "pipeline", "Agents for chosen deliverables", "{site}/pipeline?category=TASK&type=TASK{chosen}", "#preview:enabled"),
		at("site", "disabled", "Types that cannot be started, and why", "{site}/pipeline?category=TASK&type=ESTIMATING", "[data-type=ESTIMATING]"),
		at("site", "start", "What would be started", "{site}/pipeline?category=TASK&type=TASK{chosen}", "#preview:enabled").opened("#preview", ".message-text"),
		at("site", "batch", "A table of the sessions that were started", "{batch}", ".batch-table tbody tr"),
	}},
	{"Workflows", []screen{
		at("site", "workflows", "The workflows and their runs", "{site}/workflows", "[data-run]"),
		at("site", "problems", "A workflow with twenty problems", "{site}/workflows?file=workflows/estimate.yaml", ".problem"),
		at("site", "plan", "A form made of a workflow's input, and its plan", "{site}/workflows?file=workflows/review.yaml", ".start-form").
			after(func(b *tab) {
				b.do(fill(chromedp.CSS("[name=topic]"), "Foundations"))
				value[bool](b, "document.querySelector('#plan-run').click() === undefined")
				b.until("document.querySelector('.plan .task')")
			}),
		at("site", "run", "A run, task by task", "{run}", ".run-wait").opened("[data-task] summary", ".task-body"),
	}},
	{"A deliverable", []screen{
		at("agent", "deliverable", "Status, history and the next step with its commits", "{deck}", ".commit input"),
		at("agent", "since-transition", "What is not committed, and what changed since the last step", "{deck}", ".dirty").
			after(func(b *tab) {
				value[bool](b, "document.querySelector('#since').click() === undefined")
				b.until("document.querySelector('.since .diff-lines')")
				scrolledTo(".transition")(b)
			}),
		at("agent", "documents", "Documents", "{deck}?show=documents&file=Specification.md", ".source-text .h1"),
		at("agent", "register", "The register, with the evidence of a row", "{deck}?show=register&row=DEP-01-01-002", ".register-pane .quote-found, .register-pane canvas.page"),
		at("agent", "edits", "Edits that are not saved yet", "{deck}?show=register", "[data-row]").after(edited),
		at("agent", "proposals", "A proposal beside its evidence", "{deck}?show=proposals", ".quote-found"),
		at("agent", "findings", "Findings, each with its fix", "{deck}?show=findings", ".finding-group .command"),
		at("agent", "touched", "The sessions that changed its files", "{deck}?show=sessions", ".session-touch"),
	}},
	{"Graph", []screen{
		at("site", "graph", "The graph, with a circle and what waits", "{site}/graph?view=drawing", ".graph-node"),
		at("site", "impact", "What a deliverable needs and reaches", "{site}/graph?view=drawing&at=DEL-03-02", ".graph-node.at"),
		at("site", "graph-list", "The same as a list", "{site}/graph?view=list&at=DEL-03-02", ".graph-row.at"),
	}},
	{"Files", []screen{
		at("agent", "files", "The tree", "{bridge}/files", ".tree-row"),
		at("agent", "markdown", "A text", "{bridge}/files?path="+strings.ReplaceAll(deckFolder, " ", "%20")+"/Specification.md", ".file-page .md table"),
		at("agent", "table", "A table", "{bridge}/files?path=survey/levels.csv", ".table-head"),
		at("agent", "pdf", "A PDF", "{bridge}/files?path=documents/brief.pdf", "canvas.page[data-drawn]"),
		at("agent", "search", "A search in the content of files", "{bridge}/files?q=level&in=content", ".found-line"),
	}},
	{"History", []screen{
		at("agent", "snapshots", "Snapshots, and what changed since", "{bridge}/history", ".card").opened(".card summary", ".card .paths"),
		at("agent", "publish", "Before a snapshot is published", "{bridge}/history", ".card").opened("#publish", "#publish-label"),
		at("agent", "audit", "The audit log, verified", "{bridge}/history?show=audit", ".audit-entry").opened("#verify-log", "#log-verdict"),
		at("agent", "coordination", "The mode of coordination", "{bridge}/history?show=coordination", ".mode"),
	}},
}

// refused attaches a file that no turn takes.
func refused(b *tab) {
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#pick"), []string{filepath.Join(b.program.home, "section.png")}))
	b.until("document.querySelector('#files li.bad')")
}

// edited changes two cells of the register, as a person does.
func edited(b *tab) {
	if value[bool](b, "Boolean(document.querySelector('.register-edits'))") {
		return // the browser has kept them
	}
	for _, cell := range []string{"[data-row='DEP-01-01-001'] [data-column=Statement]", "[data-row='DEP-01-01-002'] [data-column=Statement]"} {
		value[bool](b, "document.querySelector(\""+cell+"\").dispatchEvent(new MouseEvent('dblclick', { bubbles: true }))")
		b.until("document.activeElement.tagName === 'TEXTAREA'")
		b.do(chromedp.KeyEvent("The deck clears the water of 2.85 m by 0.60 m"), press("Enter"))
	}
	b.until("document.querySelector('.register-edits')")
}
