package attachment

import (
	"fmt"
	"strings"

	"belay/internal/fault"
	"belay/internal/quantity"
)

// maxWarningLines is how many refusals the warning names one by one.
const maxWarningLines = 20

// Warning tells the model and the person what was refused, as plain text: a
// header with how many, one line for each of the first 20 (base name, code,
// reason), then how many more. It is empty when nothing was refused, has no
// trailing newline, and no name can forge a line of it.
//
// Where it goes is the prompt's business (attachment-resolver REQ-07).
func (r Resolution) Warning() string {
	if len(r.Refused) == 0 {
		return ""
	}
	var b strings.Builder
	total := len(r.Items) + len(r.Refused)
	fmt.Fprintf(&b, "%d of %s refused and not part of this message:",
		len(r.Refused), quantity.Count(total, "attachment was", "attachments were"))
	for i, f := range r.Refused {
		if i == maxWarningLines {
			fmt.Fprintf(&b, "\nand %d more", len(r.Refused)-maxWarningLines)
			break
		}
		fmt.Fprintf(&b, "\n%s: %s: %s", DisplayName(f.Path), f.Code, visible(f.Reason))
	}
	return b.String()
}

// Failure is the error of a turn whose attachments were all refused and that
// has no text (attachment-resolver REQ-08). It lists every refusal.
func Failure(refused []Refusal) *fault.Error {
	if refused == nil {
		refused = []Refusal{}
	}
	message := "there is no message and no attachment was accepted"
	if len(refused) > 0 {
		all := "the attachment was refused, and there is no message to send without it:"
		if len(refused) > 1 {
			all = fmt.Sprintf("all %d attachments were refused, and there is no message to send without them; the first is", len(refused))
		}
		message = all + " " + why(refused[0])
	}
	return failure(refused, message)
}

// UploadFailure is the error of an upload that was refused.
func UploadFailure(refused Refusal) *fault.Error {
	return failure([]Refusal{refused}, "the file was refused: "+why(refused)).WithHint("upload another file, or this one in another form")
}

func why(r Refusal) string { return DisplayName(r.Path) + ": " + visible(r.Reason) }

func failure(refused []Refusal, message string) *fault.Error {
	return fault.New(fault.AttachmentFailure, "%s", message).
		With("category", "ALL_ATTACHMENTS_FAILED_NO_TEXT").
		With("attachmentErrors", refused).
		With("rejectedAttachmentCount", len(refused))
}
