package gather

import (
	"fmt"
	"strings"

	"belay/internal/attachment"
	"belay/internal/fault"
)

// maxLines is how many refusals an error's text names one by one; its details have
// all of them.
const maxLines = 20

// result lines the outcomes up. It fails where one was refused that is needed.
func result(all []*outcome) (Result, error) {
	var r Result
	var needed []Report
	for _, o := range all {
		r.Reports = append(r.Reports, o.report)
		switch {
		case !o.refused():
			r.Items = append(r.Items, o.item)
		case !o.Optional:
			needed = append(needed, o.report)
		}
	}
	if len(needed) > 0 {
		return Result{Reports: r.Reports}, Failure(needed, len(all))
	}
	return r, nil
}

// Failure is the error of attachments that a task cannot begin without.
func Failure(refused []Report, of int) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d attachments cannot be used:", len(refused), of)
	if of == 1 {
		b.Reset()
		b.WriteString("the attachment cannot be used:")
	}
	for i, r := range refused {
		if i == maxLines {
			fmt.Fprintf(&b, "\nand %d more", len(refused)-maxLines)
			break
		}
		place := ""
		switch {
		case r.File != "":
			place = fmt.Sprintf("%s:%d:%d: ", r.File, r.Line, r.Column)
		case r.Line > 0:
			place = fmt.Sprintf("line %d: ", r.Line)
		}
		fmt.Fprintf(&b, "\n%s%s: %s (%s)", place, r.Origin, r.Refused, r.Code)
	}
	return fault.New(fault.AttachmentFailure, "%s", b.String()).
		With("attachmentErrors", refused).With("rejectedAttachmentCount", len(refused)).
		WithHint("fix them, or write optional: true at those that the task can do without")
}

func tooMany(n, limit int) error {
	return fault.New(fault.AttachmentFailure, "the task has %d attachments, and %d are allowed (attachments.max_items)", n, limit).
		WithHint("match fewer files, or raise attachments.max_items").With("code", string(attachment.OverBudget))
}
