package persona

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Gate is where a governance decision was made (compatible contract, 5.5).
type Gate string

// The gates in the order in which they are passed. The first that fails decides.
const (
	GateEnvironment Gate = "ENVIRONMENT"
	// GatePersona is also where a parent that is not TYPE 1 is stopped.
	GatePersona  Gate = "PERSONA_ALLOWLIST"
	GateMetadata Gate = "METADATA_PRESENCE"
	GateSealed   Gate = "CONTEXT_SEALED"
	GateApproved Gate = "PIPELINE_RUN_APPROVED"
	GateRef      Gate = "APPROVAL_REF"
	GateInternal Gate = "INTERNAL_ERROR"
	GateAllow    Gate = "ALLOW"
)

// Decision says whether a turn may delegate, and to whom. A denial never fails
// the turn: it goes on without subagents.
type Decision struct {
	Allowed bool   `json:"allowed"`
	Gate    Gate   `json:"gate"`
	Reason  string `json:"reason"`
	// AllowlistedSubagents are those that the persona names.
	AllowlistedSubagents []string `json:"allowlistedSubagents"`
	// DelegatedSubagents may be used: each exists and is TYPE 2. The list is
	// empty when denied, and may be empty when allowed.
	DelegatedSubagents []string `json:"delegatedSubagents"`
	ApprovalRef        string   `json:"approvalRef,omitempty"`
	ApprovedBy         string   `json:"approvedBy,omitempty"`
	// Problems say which subagents were left out and why, for the log; Warnings
	// are about those that were kept.
	Problems []string `json:"problems,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// Govern decides whether a turn of persona p may delegate. metadata is the
// turn's opts.subagentGovernance as it was sent; enabled is the setting, which
// must be exactly "true". Everything that is not plainly an approval is a denial,
// and so is a failure of Govern itself.
func Govern(r *Root, p Persona, metadata json.RawMessage, enabled string) (d Decision) {
	d.AllowlistedSubagents = append([]string{}, p.Subagents...)
	d.DelegatedSubagents = []string{}
	defer func() {
		if v := recover(); v != nil {
			d = d.deny(GateInternal, fmt.Sprintf("the decision failed: %v", v))
		}
	}()
	if enabled != "true" {
		return d.deny(GateEnvironment, `delegation is off: subagents.enabled (BELAY_SUBAGENTS_ENABLED, CHIRALITY_ENABLE_SUBAGENTS) is not "true"`)
	}
	if len(p.Subagents) == 0 {
		return d.deny(GatePersona, fmt.Sprintf("persona %s is not allowlisted: it names no subagents", p.ID))
	}
	if p.Type != Manager {
		return d.deny(GatePersona, fmt.Sprintf("persona %s is not allowlisted: its AGENT_TYPE is %s, not %s", p.ID, p.Type.orUnknown(), Manager))
	}
	a, gate, reason := readApproval(metadata)
	if gate != GateAllow {
		return d.deny(gate, reason)
	}
	if err := r.Check(); err != nil {
		return d.deny(GateInternal, err.Error())
	}
	d.delegate(r)
	d.Allowed, d.Gate, d.ApprovalRef, d.ApprovedBy = true, GateAllow, a.ref, a.by
	d.Reason = fmt.Sprintf("every gate passed; %d of %d subagents may be used", len(d.DelegatedSubagents), len(d.AllowlistedSubagents))
	return d
}

// deny returns d as a denial; nothing of an approval stays in it.
func (d Decision) deny(g Gate, reason string) Decision {
	return Decision{Gate: g, Reason: reason, AllowlistedSubagents: d.AllowlistedSubagents, DelegatedSubagents: []string{}}
}

// delegate keeps the listed subagents that exist and are specialists, each once
// whatever it was called.
func (d *Decision) delegate(r *Root) {
	for _, name := range d.AllowlistedSubagents {
		sub, err := r.find(name)
		switch {
		case err != nil:
			d.Problems = append(d.Problems, fmt.Sprintf("subagent %s has no readable file in the instruction root", name))
		case sub.Type != Specialist:
			d.Problems = append(d.Problems, fmt.Sprintf("subagent %s: its AGENT_TYPE is %s; only %s can be delegated to", sub.ID, sub.Type.orUnknown(), Specialist))
		case len(sub.ID) > MaxSubagentID:
			d.Problems = append(d.Problems, fmt.Sprintf("subagent %s: its name is too long; %d characters are the most", sub.ID, MaxSubagentID))
		case slices.Contains(d.DelegatedSubagents, sub.ID):
		default:
			if sub.Class != ClassTask {
				d.Warnings = append(d.Warnings, fmt.Sprintf("subagent %s should declare AGENT_CLASS TASK", sub.ID))
			}
			d.DelegatedSubagents = append(d.DelegatedSubagents, sub.ID)
		}
	}
}

func (t Type) orUnknown() string {
	if t == "" {
		return "not declared"
	}
	return string(t)
}

// MaxSubagentID is how long the name of a persona may be that others delegate to: with agent. in
// front it is the name of a tool.
const MaxSubagentID = 58

type approval struct{ ref, by string }

// readApproval passes the metadata through its four gates. Keys are matched
// exactly, and an object that has a key twice is no approval of anything.
func readApproval(metadata json.RawMessage) (approval, Gate, string) {
	fields, err := object(metadata)
	if err != nil {
		return approval{}, GateMetadata, "subagentGovernance is missing or invalid: " + err.Error()
	}
	if !isTrue(fields["contextSealed"]) {
		return approval{}, GateSealed, "subagentGovernance.contextSealed must be strictly true"
	}
	if !isTrue(fields["pipelineRunApproved"]) {
		return approval{}, GateApproved, "subagentGovernance.pipelineRunApproved must be strictly true"
	}
	ref := stringOf(fields["approvalRef"])
	if ref == "" {
		return approval{}, GateRef, "subagentGovernance.approvalRef must be a non-empty string"
	}
	return approval{ref: ref, by: stringOf(fields["approvedBy"])}, GateAllow, ""
}

// object splits a JSON object into its members.
func object(raw json.RawMessage) (fields map[string]json.RawMessage, err error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return nil, errors.New("it is absent")
	}
	if raw[0] != '{' {
		return nil, errors.New("it is not an object")
	}
	// encoding/json takes the last of two members with one name.
	var at *jsontext.SyntacticError
	switch err := jsonv2.Unmarshal(raw, &fields, jsontext.AllowInvalidUTF8(true)); {
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &at):
		return nil, fmt.Errorf("it has %q twice", at.JSONPointer.LastToken())
	case err != nil:
		return nil, errors.New("it is not valid JSON")
	}
	return fields, nil
}

func isTrue(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "true" }

// stringOf returns a trimmed JSON string, or "" for anything else.
func stringOf(raw json.RawMessage) string {
	var s *string
	if len(raw) == 0 || json.Unmarshal(raw, &s) != nil || s == nil {
		return ""
	}
	return strings.ToValidUTF8(trim(*s), "\uFFFD")
}
