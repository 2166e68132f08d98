package gather

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sync/errgroup"

	"belay/internal/attachment"
	"belay/internal/attachment/declared"
	"belay/internal/crash"
)

// look makes the checks of a file that need no bytes.
func (b *batch) look(o *outcome) bool {
	if b.folder == nil {
		o.refuse(attachment.NotFound, "there is no folder to look for files in")
		return false
	}
	info, err := b.folder.Stat(o.Source)
	switch {
	case err != nil:
		b.refuseUnopened(o, err)
	case info.IsDir():
		o.refuse(attachment.NotRegular, fmt.Sprintf("it is a folder; write paths: [%s/*] for the files in it", o.Source.Path))
	case !info.Mode().IsRegular():
		o.refuse(attachment.NotRegular, "it is no regular file")
	case info.Size() > b.fileBytes():
		o.refuse(attachment.TooLarge, fmt.Sprintf("it has %d bytes; an attachment may have %d (attachments.max_download_size_bytes)", info.Size(), b.fileBytes()))
	default:
		o.size = info.Size()
	}
	return !o.refused()
}

func (g *Gatherer) fileBytes() int64 {
	if n := g.o.Terms.FileBytes; n > 0 {
		return n
	}
	return attachment.DefaultFileBytes
}

// files accepts the files of the folder. By their sizes, what would be
// too much for a task is not read. One that is refused gives back what it took, so
// the walk is made again until it finds nothing new to read.
func (b *batch) files(ctx context.Context, local []*outcome) error {
	for {
		var spent int64
		var unread, over []*outcome
		for _, o := range local {
			switch {
			case o.refused():
			case b.o.TaskBytes > 0 && o.size > b.o.TaskBytes-spent:
				over = append(over, o)
			default:
				spent += o.size
				if o.item.SHA256 == "" {
					unread = append(unread, o)
				}
			}
		}
		if len(unread) == 0 {
			for _, o := range over {
				o.refuseSum(o.size, spent, b.o.TaskBytes)
			}
			return nil
		}
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(openings)
		for _, o := range unread {
			group.Go(crash.Caught(func() error { return b.local(ctx, o) }))
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
}

// spend holds the sum of all to the limit, in the order of the list.
func (g *Gatherer) spend(all []*outcome) {
	var spent int64
	for _, o := range all {
		switch {
		case o.refused():
		case g.o.TaskBytes > 0 && o.item.Bytes > g.o.TaskBytes-spent:
			o.refuseSum(o.item.Bytes, spent, g.o.TaskBytes)
		default:
			spent += o.item.Bytes
		}
	}
}

func (o *outcome) refuseSum(size, spent, limit int64) {
	o.refuse(attachment.OverBudget, fmt.Sprintf("with its %d bytes the attachments would be more than a task may have, %d bytes (attachments.task_bytes; %d are taken)", size, limit, spent))
}

// local opens and accepts a file.
func (b *batch) local(ctx context.Context, o *outcome) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	f, err := b.folder.Open(o.Source)
	if err != nil {
		b.refuseUnopened(o, err)
		return nil
	}
	return b.accept(ctx, o, f)
}

// refuseUnopened says why a file of the folder cannot be opened.
func (b *batch) refuseUnopened(o *outcome, err error) {
	code := attachment.NotReadable
	reason, outside := b.folder.Reason(o.Source, err)
	switch {
	case outside:
		code = attachment.OutsideRoots
	case errors.Is(err, fs.ErrNotExist):
		code = attachment.NotFound
	}
	o.refuse(code, reason)
}

// accept makes an item of an open file, which it closes.
func (b *batch) accept(ctx context.Context, o *outcome, f attachment.File) error {
	a, err := attachment.Accept(ctx, attachment.Opened{
		File: f, Name: o.report.Name, Origin: o.report.Origin, Want: wanted[o.Type], Hint: o.MIME,
	}, b.o.Terms, b.blobs)
	if err != nil {
		return err
	}
	o.report.Warnings = append(o.report.Warnings, a.Warnings...)
	if a.Refused != nil {
		o.refuse(a.Refused.Code, a.Refused.Reason)
		return nil
	}
	if o.Type == declared.TypePDF {
		a.Item.MaxPages = o.MaxPages
	}
	if a.Item.Kind == attachment.KindImage {
		a.Item.Detail = o.detail()
	}
	o.accept(a.Item)
	return nil
}

// wanted is the kind of each type, "" for any.
var wanted = map[declared.Type]attachment.Kind{
	declared.TypeImage: attachment.KindImage, declared.TypePDF: attachment.KindPDF, declared.TypeAudio: attachment.KindAudio,
	declared.TypeVideo: attachment.KindVideo, declared.TypeURL: attachment.KindURL,
}

// detail is meta.image_detail, how closely a model looks at an image.
func (o *outcome) detail() string {
	switch d := o.Meta["image_detail"]; d {
	case nil:
	case "low", "high", "auto":
		return d.(string)
	default:
		o.report.Warnings = append(o.report.Warnings, fmt.Sprintf("meta.image_detail is %.40q, which is none of low, high and auto", fmt.Sprint(d)))
	}
	return ""
}
