package worker

import (
	"encoding/json"
	"slices"

	"belay/internal/bus/contract"
)

// fewFiles and fewNotes are how many a question names that is too large with more.
const (
	fewFiles = 20
	fewNotes = 20
)

// limit is how many bytes of JSON a message of the type may have.
func limit(t contract.Type) int {
	s, _ := contract.Of(t)
	return s.MaxBytes
}

// encoded is how many bytes of JSON v has. Signs such as < and those that control a terminal
// take six each, so the lengths of the texts do not say it.
func encoded(v any) int {
	data, err := json.Marshal(v)
	if err != nil {
		return 0 // to encode the message fails as well, and says why
	}
	return len(data)
}

// least is how many bytes the long texts of a question have. Its JSON has no fewer, and
// takes longer to make.
func least(d contract.Decision) int {
	n := len(d.Diff) + len(d.Command)
	for _, f := range d.Files {
		n += len(f.Path) + len(f.Reason)
	}
	for _, note := range d.Notes {
		n += len(note)
	}
	return n
}

// fit makes a question smaller until its JSON has at most so many bytes. It leaves out first
// what people can do without, and says so of diff and command. FileCount stays.
func fit(d contract.Decision, size int) contract.Decision {
	d.Files, d.Notes = slices.Clone(d.Files), slices.Clone(d.Notes)
	for _, less := range []func(*contract.Decision){withoutDiff, withoutReasons, withShortNotes, withCommand(maxNote), withFewFiles, bare} {
		if least(d) <= size && encoded(d) <= size {
			break
		}
		less(&d)
	}
	return d
}

func withoutDiff(d *contract.Decision) {
	d.DiffTruncated, d.Diff = d.DiffTruncated || d.Diff != "", ""
}

// withCommand cuts the command to so many bytes.
func withCommand(most int) func(*contract.Decision) {
	return func(d *contract.Decision) {
		d.CommandTruncated, d.Command = d.CommandTruncated || len(d.Command) > most, contract.Cut(d.Command, most)
	}
}

func withoutReasons(d *contract.Decision) {
	for i := range d.Files {
		d.Files[i].Reason = ""
	}
}

func withShortNotes(d *contract.Decision) {
	d.CommandTruncated = d.CommandTruncated || len(d.Notes) > fewNotes
	d.Notes = d.Notes[:min(len(d.Notes), fewNotes)]
	for i, n := range d.Notes {
		d.Notes[i] = contract.Cut(n, maxLine)
		d.CommandTruncated = d.CommandTruncated || len(d.Notes[i]) < len(n)
	}
}

// withFewFiles names the files that are not ordinary, as long as there are not too many.
func withFewFiles(d *contract.Decision) {
	d.Files = slices.DeleteFunc(d.Files, func(f contract.ChangedFile) bool { return f.Class == contract.ClassOrdinary })
	d.Files = d.Files[:min(len(d.Files), fewFiles)]
}

// bare leaves what tells the question from others. Nobody should allow the rest unseen.
func bare(d *contract.Decision) {
	withCommand(maxLine / 2)(d)
	for _, text := range []*string{&d.Summary, &d.Reason, &d.Why} {
		*text = contract.Cut(*text, maxLine/2)
	}
	d.Files, d.Notes, d.Hosts, d.Output, d.CommandTruncated = nil, nil, nil, "", true
}
