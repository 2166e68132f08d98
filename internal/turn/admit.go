package turn

import (
	"belay/internal/attachment"
	"belay/internal/blank"
	"belay/internal/fault"
)

// admit refuses a message that is too long.
func (m Limits) admit(message string) error {
	if n := int64(len(message)); n > m.MessageBytes {
		return fault.New(fault.RequestTooLarge, "message has %d bytes, the limit is %d", n, m.MessageBytes).
			With("limit", m.MessageBytes).With("bytes", n).
			WithHint("attach long text as a file")
	}
	return nil
}

// admit decides whether anything is left to send (resolver REQ-08).
func admit(r Request, files attachment.Resolution) error {
	if !blank.Is(r.Message) || len(files.Items)+len(r.Items)+len(r.Links) > 0 {
		return nil
	}
	if len(r.Attachments) == 0 {
		return fault.New(fault.InvalidRequest, "message is empty and there are no attachments").With("field", "message")
	}
	return attachment.Failure(files.Refused)
}

// policy admits the attachments of a turn in the project; "" is no project.
func (r Rules) policy(projectRoot string) attachment.Policy {
	p := r.Policy
	if r.ConfineAttachments {
		p.Roots = []string{} // nothing: nil would be everything
		if projectRoot != "" {
			p.Roots = append(p.Roots, projectRoot)
		}
	}
	return p
}
