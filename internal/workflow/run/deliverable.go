package run

import (
	"slices"

	"belay/internal/attachment/declared"
	"belay/internal/attachment/gather"
	"belay/internal/turn"
)

// delivery is a list of attachments as a model can take them.
type delivery struct {
	list []*declared.Attachment
	// fetched are the places in it of images whose address was to be passed on.
	fetched []int
}

// fetchedInstead says what became of deliver: url.
const fetchedInstead = "the model takes no addresses of images: it is fetched (deliver: url)"

// deliverable is a list as a model can take it: one that takes images, but not by
// their addresses, gets them fetched as it gets everything else.
func (x *evaluator) deliverable(c turn.Choice, list []*declared.Attachment) (delivery, error) {
	d := delivery{list: list}
	direct := func(a *declared.Attachment) bool {
		return a.Type == declared.TypeImage && a.Direct && a.Source.URL != ""
	}
	if x.o.Takes == nil || !slices.ContainsFunc(list, direct) {
		return d, nil
	}
	takes, err := x.o.Takes(x.record.Project, c)
	limits := takes.Attachments
	if err != nil || limits.ImageURLs || len(limits.ImageTypes) == 0 {
		return d, err
	}
	d.list = slices.Clone(list)
	for i, a := range d.list {
		if direct(a) {
			fetched := *a
			fetched.Direct = false
			d.list[i] = &fetched
			d.fetched = append(d.fetched, i)
		}
	}
	return d, nil
}

// note adds in the reports of the list what became of the author's choice.
func (d delivery) note(reports []gather.Report) {
	for _, i := range d.fetched {
		if i < len(reports) {
			reports[i].Warnings = append(reports[i].Warnings, fetchedInstead)
		}
	}
}
