package project

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"belay/internal/fault"
	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/workspace"
	"belay/internal/workspace/index"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/proposal"
	"belay/internal/workspace/register"
	"belay/internal/workspace/registerfile"
)

// RegisterOptions are what the tool needs that proposes rows of registers.
type RegisterOptions struct {
	Files     *registerfile.Files
	Proposals *proposal.Store
}

// proposer proposes rows of a register. It changes no file of the project: a person
// applies what is proposed.
type proposer struct {
	index *index.Set
	o     RegisterOptions
}

type proposeInput struct {
	Deliverable string              `json:"deliverable"`
	Rows        []map[string]string `json:"rows"`
	Complete    bool                `json:"complete"`
	Note        string              `json:"note"`
}

// maxProposed bounds the rows of one call.
const maxProposed = 500

// Spec implements [tool.Tool].
func (proposer) Spec() tool.Spec {
	return tool.Spec{
		Name: "project.propose",
		Description: "Propose rows for the dependency register of a deliverable (Dependencies.csv, schema v3.1): the one way to change it. " +
			"A person sees what would be new, confirmed and retired, and applies it or not; nothing changes before. " +
			"Rows are matched by DependencyID; of a row that the register has, give the id and what is different. " +
			"Of a new row give DependencyClass (ANCHOR or EXECUTION), AnchorType, Direction (UPSTREAM or DOWNSTREAM), DependencyType, TargetType with " +
			"TargetDeliverableID, or TargetRefID and TargetName, and the evidence: EvidenceFile, SourceRef (or \"location TBD\"), EvidenceQuote of at most 30 words. " +
			"Id, host, schema, days and the usual words are filled in. Rows are never deleted: those no longer observed get Status RETIRED.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["deliverable","rows"],"properties":{
"deliverable":{"type":"string","minLength":1,"maxLength":500,"description":"its id, such as DEL-01-02, its key PKG-01::DEL-01-02, its label, or the path of its folder"},
"rows":{"type":"array","minItems":1,"maxItems":500,"items":{"type":"object","additionalProperties":{"type":"string","maxLength":20000}},"description":"the rows, each with values by column"},
"complete":{"type":"boolean","description":"true when these are all rows that were found: extracted rows that are not among them are then offered as RETIRED"},
"note":{"type":"string","maxLength":2000,"description":"what the person should know"}}}`),
	}
}

// Prepare implements [tool.Tool].
func (t proposer) Prepare(ctx context.Context, w *tool.Environment, input json.RawMessage) (tool.Call, error) {
	var in proposeInput
	if err := tool.Decode(input, &in); err != nil {
		return nil, err
	}
	if len(in.Rows) > maxProposed {
		return nil, tool.Refuse("%d rows are more than the %d of one call", len(in.Rows), maxProposed)
	}
	f, err := find(ctx, w, t.index, in.Deliverable)
	if err != nil {
		return nil, err
	}
	d, err := opened(w, f)
	if err != nil {
		return nil, err
	}
	for _, row := range in.Rows {
		if strings.EqualFold(strings.TrimSpace(row[register.Origin.String()]), "DECLARED") {
			return nil, tool.Refuse("Origin DECLARED is for what people declare").WithHint("leave Origin out")
		}
	}
	now, err := t.o.Files.Read(ctx, d)
	if fault.Is(err, fault.RegisterNotFound) {
		now.Register, err = register.Parse(nil), nil
	}
	if err != nil {
		return nil, explain(err)
	}
	now.Complete(in.Rows, register.Host{
		Package: layout.ParseName(f.Package).ID, Deliverable: f.ID, Name: f.Name,
	}, w.Clock().UTC().Format(time.DateOnly))
	sheet, err := register.Sheet(in.Rows)
	if err != nil {
		return nil, explain(err)
	}
	c := &proposeCall{store: t.o.Proposals, d: d, ask: proposal.Request{
		By: w.Agent, SessionID: w.Session, TurnID: w.Turn, Note: plain(in.Note), Complete: in.Complete, Content: sheet,
	}}
	if c.diff, _, err = t.o.Files.Preview(ctx, d, register.Parse(sheet), register.ProposalOptions{Complete: in.Complete}); err != nil {
		return nil, explainRows(err)
	}
	return c, nil
}

// plain is a note without what could move a reader's cursor.
func plain(note string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r == 0x7f {
			return ' '
		}
		return r
	}, note)
}

// explainRows is explain for rows: it tells everything that is wrong with them.
func explainRows(err error) error {
	problems, _ := fault.From(err).Details["rowProblems"].([]register.Problem)
	if len(problems) < 2 {
		return explain(err)
	}
	var each []string
	for _, p := range problems {
		each = append(each, fmt.Sprintf("row %d (%s): %s", p.Row, p.ID, p.Message))
	}
	return tool.Refuse("%s", clipLong(strings.Join(each, "; "))).WithHint("row 2 is the first one; correct the rows and propose them again").Because(err)
}

// clipLong shortens a list of problems.
func clipLong(s string) string {
	const most = 4000
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

type proposeCall struct {
	store *proposal.Store
	d     workspace.Deliverable
	ask   proposal.Request
	diff  *register.Diff
}

// Effect implements [tool.Call]. A proposal is a look: it waits for a person beside
// the project's files, and changes none.
func (c *proposeCall) Effect() permit.Effect {
	return permit.Effect{
		Tool: "project.propose", Kind: permit.Read, Paths: []string{path.Join(c.d.Rel, layout.RegisterFile)},
		Summary: clip(fmt.Sprintf("propose %d new, %d confirmed, %d retired rows for %s, which a person applies or not",
			len(c.diff.New), len(c.diff.Confirmed), len(c.diff.Retired), path.Base(c.d.Rel))),
	}
}

// Run implements [tool.Call].
func (c *proposeCall) Run(ctx context.Context) (tool.Result, error) {
	shown, err := c.store.Add(ctx, c.d, c.ask)
	if err != nil {
		return tool.Result{}, explainRows(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Proposal %s for %s waits for a person; nothing of the project has changed.\n", shown.ID, c.d.Rel)
	rows := func(what string, list []register.DiffRow) {
		var each []string
		for _, row := range list {
			text := row.ID
			for _, kept := range row.Kept {
				text += " (" + kept + ")"
			}
			each = append(each, "  "+text)
		}
		fmt.Fprintf(&b, "%s: %d\n%s", what, len(list), lines(each, 100))
	}
	rows("new", shown.Diff.New)
	rows("confirmed", shown.Diff.Confirmed)
	rows("retired", shown.Diff.Retired)
	fmt.Fprintf(&b, "A person applies it with: belay deps import %s %s --apply\n", shown.Deliverable, filepath.ToSlash(filepath.Join(proposal.Folder, shown.ID+".csv")))
	return tool.Result{Text: b.String()}, nil
}
