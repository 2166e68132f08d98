package api

import (
	"strconv"
	"strings"
	"time"

	"belay/internal/fault"
	"belay/internal/permit"
)

// AuditVerdict is what a check of the whole audit log found.
type AuditVerdict struct {
	// File is the log's path. Lines are as they were written, from the first on.
	File  string `json:"file"`
	Lines int    `json:"lines"`
	// Sessions is how many sessions recorded a position that was compared.
	Sessions int `json:"sessions"`
	// Whole is set where nothing is wrong; Problem names the first line that is.
	Whole   bool   `json:"whole"`
	Problem string `json:"problem,omitempty"`
}

type auditAnswer struct {
	ProjectRoot string `json:"projectRoot"`
	// Entries are the newest first.
	Entries []permit.Recorded `json:"entries"`
	// NextCursor leads to older entries, absent where there are none. A page that has one may
	// be empty: one request reads a bounded part of the log.
	NextCursor string `json:"nextCursor,omitempty"`
	// Unreadable is how many lines were passed over that are no entries.
	Unreadable int `json:"unreadable,omitempty"`
}

// auditRoutes are the endpoints about the operator's log.
func auditRoutes() []route {
	return []route{
		{method: get, path: "/api/project/audit", name: "readAudit", summary: "What the audit log has of a project: decisions, refusals, transitions and changes, the newest first.", access: operator,
			params: []param{workingRoot,
				{in: "query", name: "kind", doc: "only entries of this kind, such as decision, refusal, transition, register or undo"},
				{in: "query", name: "actor", doc: "only what this person or agent did"},
				{in: "query", name: "since", doc: "only what is not older: a day, YYYY-MM-DD in UTC, or a time (RFC 3339)"},
				{in: "query", name: "limit", integer: true, doc: "at most so many, 1 to 500; 100 without it"},
				{in: "query", name: "cursor", doc: "the nextCursor of the page before"}},
			action: answers(readAudit), errors: errorsOf(projectErrors, []fault.Type{fault.NotFound, fault.StorageFailure})},
		{method: get, path: "/api/audit/verify", name: "verifyAudit", summary: "Whether nobody changed the audit log, as belay audit verify says.", access: operator,
			action: answers(verifyAudit), errors: []fault.Type{fault.NotFound, fault.StorageFailure}},
	}
}

const defaultAuditPage = 100

func readAudit(c *call) (a auditAnswer, err error) {
	root, q, err := c.projectOf()
	if err != nil {
		return a, err
	}
	if c.o.Projects.Audit == nil {
		return a, notServed("has no audit log")
	}
	p := params{q: q}
	f := permit.AuditFilter{Project: root, Kind: trim(q["kind"]), Actor: trim(q["actor"]), Since: since(&p)}
	limit, before := p.limit(defaultAuditPage, permit.MaxAuditPage), auditCursor(&p)
	if err := p.err(); err != nil {
		return a, err
	}
	page, err := c.o.Projects.Audit.Read(c.ctx(), f, before, limit)
	if err != nil {
		return a, err
	}
	a = auditAnswer{ProjectRoot: root, Entries: orEmpty(page.Entries), Unreadable: page.Unreadable}
	if page.Next > 0 {
		a.NextCursor = auditPlace + strconv.FormatInt(page.Next, 36)
	}
	return a, nil
}

// auditPlace begins a cursor.
const auditPlace = "a"

func auditCursor(p *params) int64 {
	s := trim(p.q["cursor"])
	if s == "" {
		return 0
	}
	digits, ok := strings.CutPrefix(s, auditPlace)
	n, err := strconv.ParseInt(digits, 36, 64)
	if !ok || err != nil || n <= 0 {
		p.badWith("begin without one", "cursor", "is not a cursor of this server")
		return 0
	}
	return n
}

// since reads a day or a time.
func since(p *params) time.Time {
	s := trim(p.q["since"])
	if s == "" {
		return time.Time{}
	}
	for _, form := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(form, s); err == nil {
			return t
		}
	}
	p.bad("since", "must be a day as YYYY-MM-DD or a time as RFC 3339")
	return time.Time{}
}

func verifyAudit(c *call) (AuditVerdict, error) {
	if c.o.Projects.VerifyAudit == nil {
		return AuditVerdict{}, notServed("has no audit log")
	}
	return c.o.Projects.VerifyAudit(c.ctx())
}
