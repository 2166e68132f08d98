// Package gather turns the attachments of a task into items that a turn takes: the
// files of the workflow's folder are opened, what has an address is fetched, all of
// it is typed by its bytes and stored, and each gets a [Report].
//
// Files and downloads go side by side, and the result keeps the author's order. An
// address that several attachments share is fetched once. One that cannot be used
// is left out where its author wrote optional: true; else the task does not begin,
// and the error names every one of them with its place in the file.
//
// Specification: attachments, sections 3, 6, 10 and 11.
package gather

import (
	"context"
	"strings"

	"golang.org/x/sync/errgroup"

	"belay/internal/attachment"
	"belay/internal/attachment/declared"
	"belay/internal/attachment/download"
	"belay/internal/crash"
)

// Options configure a [Gatherer].
type Options struct {
	// Downloads fetches addresses.
	Downloads *download.Downloads
	// Terms is what a file may be.
	Terms attachment.Terms
	// MaxItems caps the attachments of one task, TaskBytes their sum; 0 is no limit.
	MaxItems  int
	TaskBytes int64
}

// Gatherer is safe for concurrent use.
type Gatherer struct{ o Options }

// New returns a gatherer.
func New(o Options) *Gatherer { return &Gatherer{o} }

// Result is what became of a list.
type Result struct {
	// Items are those that are usable, in the list's order.
	Items []attachment.Item
	// Reports has one for each attachment of the list.
	Reports []Report
}

// Report is what became of one attachment. It has no credentials and no queries of
// addresses in it.
type Report struct {
	// Name is what people and models call it, Type what its author says it is.
	Name string        `json:"name"`
	Type declared.Type `json:"type"`
	// From says which entry of which scope it is from; File, Line and Column are where that
	// is. Origin is its path or address.
	From   string `json:"from,omitempty"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Origin string `json:"origin"`
	// Base is "project" where a path begins there, and not at the workflow's folder.
	Base string `json:"base,omitempty"`
	// Meta are its author's own values.
	Meta map[string]any `json:"meta,omitempty"`
	// SHA256, MIME and Bytes are the item's.
	SHA256 string `json:"sha256,omitempty"`
	MIME   string `json:"mimeType,omitempty"`
	Bytes  int64  `json:"bytes,omitempty"`
	// Used says how a model got it, Note what it did not get of it: that it was cut, or
	// made smaller. The sender sets them.
	Used     string   `json:"used,omitempty"`
	Note     string   `json:"note,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// Refused says why it is not used, Code the same in one word. Optional is set
	// where the task goes on without it.
	Refused  string          `json:"refused,omitempty"`
	Code     attachment.Code `json:"code,omitempty"`
	Optional bool            `json:"optional,omitempty"`
}

// openings is how many files of the folder are read at the same time.
const openings = 4

// Gather opens or fetches every attachment of a list and stores it in blobs. folder
// may be nil where no attachment has a path.
//
// Where one is refused that is not optional, the error is an ATTACHMENT_FAILURE
// with the reports of all such, and the Result has the reports all the same. Other
// errors are ctx's, and those of a store or disk that fails.
func (g *Gatherer) Gather(ctx context.Context, folder *declared.Folder, list []*declared.Attachment, blobs attachment.BlobStore) (Result, error) {
	if g.o.MaxItems > 0 && len(list) > g.o.MaxItems {
		return Result{}, tooMany(len(list), g.o.MaxItems)
	}
	all := outcomes(list)
	b := &batch{Gatherer: g, folder: folder, blobs: blobs}
	if err := b.run(ctx, all); err != nil {
		return Result{}, err
	}
	g.spend(all)
	return result(all)
}

// outcome is one attachment on its way to an item or a refusal.
type outcome struct {
	*declared.Attachment
	report Report
	item   attachment.Item
	size   int64 // of a file, before it is read
}

func outcomes(list []*declared.Attachment) []*outcome {
	names := Labels(list)
	all := make([]*outcome, len(list))
	for i, a := range list {
		o := &outcome{Attachment: a}
		origin := o.Source.Path
		if o.Source.URL != "" {
			origin = download.Clean(o.Source.URL)
		}
		o.report = Report{
			Name: names[i], Meta: o.Meta, Type: a.Type, From: o.From, File: o.File, Line: o.Line, Column: o.Column, Origin: origin, Base: o.Source.Base(), Optional: o.Optional,
		}
		all[i] = o
	}
	return all
}

func (o *outcome) refuse(code attachment.Code, reason string) {
	o.report.Code, o.report.Refused = code, reason
	o.item = attachment.Item{}
	o.report.SHA256, o.report.MIME, o.report.Bytes = "", "", 0
}

func (o *outcome) refused() bool { return o.report.Code != "" }

func (o *outcome) accept(it attachment.Item) {
	o.item = it
	o.report.Name, o.report.SHA256, o.report.MIME, o.report.Bytes = it.Name, it.SHA256, it.MIMEType, it.Bytes
}

// batch is one call of [Gatherer.Gather].
type batch struct {
	*Gatherer
	folder *declared.Folder
	blobs  attachment.BlobStore
}

// run judges all of them, side by side.
func (b *batch) run(ctx context.Context, all []*outcome) error {
	local, addresses := b.sorted(all)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(crash.Caught(func() error { return b.files(ctx, local) }))
	group.Go(crash.Caught(func() error { return b.addresses(ctx, addresses) }))
	return group.Wait()
}

// sorted parts files from addresses, those of one address together.
func (b *batch) sorted(all []*outcome) (local []*outcome, addresses [][]*outcome) {
	at := map[string]int{}
	for _, o := range all {
		address, _, _ := strings.Cut(o.Source.URL, "#") // a server sees no more of it
		if address == "" {
			if b.look(o) {
				local = append(local, o)
			}
			continue
		}
		i, known := at[address]
		if !known {
			i = len(addresses)
			at[address] = i
			addresses = append(addresses, nil)
		}
		addresses[i] = append(addresses[i], o)
	}
	return local, addresses
}
