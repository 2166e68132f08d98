package permit

// HookVerdict is what a hook says of a call.
type HookVerdict string

// The verdicts; the empty one leaves the decision to the policy.
const (
	HookAllow HookVerdict = "allow"
	HookDeny  HookVerdict = "deny"
	HookAsk   HookVerdict = "ask"
)

// HookAnswer is what the hooks together say of a call.
type HookAnswer struct {
	Verdict HookVerdict `json:"verdict"`
	// Note is for the person and the model.
	Note string `json:"note,omitempty"`
	// Hook is the name of the hook whose verdict it is.
	Hook string `json:"-"`
}

// sentence is a reason with the note.
func (a HookAnswer) sentence(reason string) string {
	if a.Note == "" {
		return reason
	}
	return reason + ": " + a.Note
}
