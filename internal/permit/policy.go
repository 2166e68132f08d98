package permit

import (
	"fmt"
)

// Policy is what a turn may do: the person's mode and rules, the persona's, and
// whether anybody can be asked. It is immutable, but for Added, and safe for concurrent use.
type Policy struct {
	Mode Mode
	// Allowed are rules of calls that need no decision, Denied of calls that are
	// never made. A denial wins over everything.
	Allowed, Denied []Rule
	// Added are allow rules that came later, nil for none.
	Added *AddedRules
	// AskBefore are rules of commands that are asked about before they run, even
	// where nothing of them is real before it was reviewed.
	AskBefore []Rule
	// Outside are rules of commands that may run outside the sandbox without being
	// asked about. No other rule lets one do so. Plan and DontAsk refuse them all.
	Outside []Rule
	// Publish are patterns of paths of files that may be sent to the turn's destination
	// without a question; ** stands for any folders. It matters outside this machine only.
	Publish []string
	// NeverAsk is why nobody can be asked, such as a persona that never blocks;
	// "" where somebody can. What would be asked is then refused.
	NeverAsk string
}

// Judge rules on a call. What a command changed has an order of its own
// (judgeDone). Of any other call, in this order: a deny rule refuses; a delegation
// is allowed, because its gates were that decision and the other agent's calls are
// judged one by one; plan mode refuses all that does more than look; a command
// that the machine cannot hold is asked about, whatever the rules say, and so is
// one that a rule of AskBefore names; a job that opens ports is asked about, unless a
// rule names them (judgePorts); files that leave this machine are asked about, unless the list of
// their destination names them (judgePublish); a command whose changes count only when they
// were reviewed is allowed; files that other programs run by themselves are asked
// about, unless a rule names them; an allow rule allows; reads are allowed;
// acceptEdits allows writes; everything else is asked about, which dontAsk and
// [Policy.NeverAsk] make a refusal. What the text of a command says plays a part in
// rules only.
//
// It knows nothing of the write scope: tools enforce that where they write.
func (p Policy) Judge(e Effect) Ruling { return p.JudgeWith(e, HookAnswer{}) }

// JudgeWith is [Policy.Judge] after the hooks had their say. What they refuse is
// refused. What they allow is not asked about, but no hook overrides a deny rule,
// plan mode, or that an unconfined command is asked about. What they want asked
// is asked even where a rule allows it. What they only remark on is in the
// question.
func (p Policy) JudgeWith(e Effect, h HookAnswer) Ruling {
	p.Allowed = p.Added.after(p.Allowed)
	r, final := p.judge(e)
	switch {
	case r.Outcome == Refuse:
		return r
	case h.Verdict == HookDeny:
		return Ruling{Outcome: Refuse, Reason: h.sentence("a hook refuses it"), Rule: h.Hook}
	case h.Verdict == HookAsk && r.Outcome == Ask:
		r.Reason = h.sentence(r.Reason)
	case h.Verdict == HookAsk:
		r = Ruling{Outcome: Ask, Reason: h.sentence("a hook wants it asked about"), Rule: h.Hook}
	case h.Verdict == HookAllow && r.Outcome == Ask && !final:
		return Ruling{Outcome: Allow, Reason: h.sentence("a hook allows it"), Rule: h.Hook}
	}
	if r.Outcome != Ask {
		return r
	}
	if h.Note != "" && h.Verdict != HookAsk {
		r.Reason += "; a hook says: " + h.Note
	}
	switch {
	case p.Mode == DontAsk:
		r.Outcome, r.Reason = Refuse, r.Reason+"; the mode dontAsk refuses what would be asked about"
	case p.NeverAsk != "":
		r.Outcome, r.Reason = Refuse, r.Reason+"; nobody can be asked: "+p.NeverAsk
	}
	return r
}

// Unreadable is the rule that denies agents to read a file, or all that is in a folder, "" where
// none does. A rule of read without a pattern is about that tool alone.
func (p Policy) Unreadable(path string, folder bool) string {
	for _, rule := range p.Denied {
		if rule.bounded && rule.Names(readTool) && (folder && rule.denied.closes(path) || !folder && rule.denied.denies(path)) {
			return rule.text
		}
	}
	return ""
}

// Asks reports whether the ruling is a question, or would be one if somebody could be asked.
func (p Policy) Asks(e Effect, h HookAnswer) bool {
	if p.NeverAsk = ""; p.Mode == DontAsk {
		p.Mode = Direct
	}
	return p.JudgeWith(e, h).Outcome == Ask
}

// judge is the ruling where somebody can be asked; final asks cannot be answered
// by a hook.
func (p Policy) judge(e Effect) (r Ruling, final bool) {
	if e.Done != nil {
		return p.judgeDone(e)
	}
	maybe := ""
	for _, rule := range p.Denied {
		switch rule.denies(e) {
		case certain:
			return Ruling{Refuse, "the rule " + rule.text + " denies it", rule.text}, true
		case possible:
			maybe = rule.text
		}
	}
	switch {
	case e.Kind == Delegate:
		return Ruling{Allow, "the gates of delegation allow it", ""}, false
	case p.Mode == Plan && e.Tool == NetworkTool:
		return p.judgeHost(e), true
	case p.Mode == Plan && e.Kind != Read && !e.contained():
		return Ruling{Refuse, "the mode plan only looks", ""}, true
	case e.Kind == Execute && e.Unconfined && !e.Outside:
		return Ruling{Ask, "this machine cannot confine commands, so each one is asked about", ""}, true
	case e.Doubt != "":
		return Ruling{Ask, e.Doubt, ""}, true
	case maybe != "":
		return Ruling{Ask, "belay cannot tell whether the rule " + maybe + " denies it", maybe}, true
	}
	if e.Outside {
		return p.judgeOutside(e)
	}
	for _, rule := range p.AskBefore {
		if rule.denies(e) != none {
			return Ruling{Ask, "the rule " + rule.text + " wants it asked about before it runs", rule.text}, true
		}
	}
	if e.Kind == Publish {
		return p.judgePublish(e), false
	}
	if len(e.Ports) > 0 {
		return p.judgePorts(e), false
	}
	if e.contained() {
		return Ruling{Allow, "nothing of it is real before it was reviewed", ""}, false
	}
	if len(e.Automatic) > 0 {
		return p.judgeAutomatic(e)
	}
	if rule := p.allows(e); rule != "" {
		return Ruling{Allow, "the rule " + rule + " allows it", rule}, false
	}
	switch {
	case e.Kind == Read:
		return Ruling{Allow, "reading is allowed", ""}, false
	case e.Kind == Write && p.Mode == AcceptEdits:
		return Ruling{Allow, "the mode acceptEdits allows changes within the write scope", ""}, false
	}
	return Ruling{Ask, e.question(), ""}, false
}

// judgeOutside rules on a command that runs as the person: it is asked about each
// time, unless a rule for such commands names all of it.
func (p Policy) judgeOutside(e Effect) (r Ruling, final bool) {
	own := Policy{Allowed: p.Outside}
	if rule := own.allows(e); rule != "" && p.Mode != DontAsk {
		return Ruling{Allow, "the rule " + rule + " of permit.outside allows it", rule}, false
	}
	return Ruling{Ask, "it runs outside the sandbox, with your files, network and credentials", ""}, true
}

// contained reports whether it is a command that can change nothing and tell nobody
// anything before its changes were reviewed.
func (e Effect) contained() bool {
	return e.Kind == Execute && e.Deferred && !e.Network && !e.Unconfined
}

// question is why the call is asked about.
func (e Effect) question() string {
	switch {
	case e.Writes:
		return "the command may change the project, which nobody reviews before it counts"
	case e.Kind == Execute && e.Network:
		return "the command may reach other machines, and belay cannot ask about each of them"
	case e.Kind == Execute && e.Opaque:
		return "what the command does is not known beforehand"
	case e.Kind == Execute:
		return "no rule allows all that the command does"
	case e.Kind == Write:
		return "it changes project files"
	case e.Tool == NetworkTool:
		return "no rule covers the host that the command connects to"
	case e.Kind == Network:
		return "it reaches another machine"
	case e.Kind == External:
		return "a program outside the sandbox does it, and belay cannot take it back"
	}
	return fmt.Sprintf("no rule allows %s", e.Tool)
}
