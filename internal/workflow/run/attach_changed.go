package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"belay/internal/attachment"
	"belay/internal/attachment/declared"
	"belay/internal/attachment/download"
	"belay/internal/attachment/gather"
	"belay/internal/workflow/definition"
)

// attachesOther reports whether a finished task would be shown other files now than it was:
// others that a pattern finds, or others by their bytes. Addresses are not fetched again.
func (x *evaluator) attachesOther(ctx context.Context, t *definition.Task, p place, s scope, rec *Task) bool {
	if t.Agent == nil {
		return false
	}
	list, err := x.effective(ctx, t, p, s)
	if err != nil || len(list) != len(rec.Attachments) {
		return true
	}
	for i, a := range list {
		if x.differs(a, &rec.Attachments[i]) {
			return true
		}
	}
	return false
}

// differs reports whether an attachment is not the one of a report.
func (x *evaluator) differs(a *declared.Attachment, before *gather.Report) bool {
	if a.Source.URL != "" {
		return download.Clean(a.Source.URL) != before.Origin
	}
	if a.Source.Path != before.Origin || a.Source.Base() != before.Base {
		return true
	}
	if before.Refused != "" {
		_, err := x.at.folder.Stat(a.Source)
		return err == nil && before.Code == attachment.NotFound
	}
	f, err := x.at.folder.Open(a.Source)
	if err != nil {
		return true
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() != before.Bytes {
		return true
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, before.Bytes+1)); err != nil {
		return true
	}
	return hex.EncodeToString(sum.Sum(nil)) != before.SHA256
}
