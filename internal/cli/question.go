package cli

import (
	"io"
	"strconv"
	"strings"
	"time"

	"belay/internal/permit"
	"belay/internal/render"
	"belay/internal/tool"
)

// shortDiff is how many lines of a diff are shown where more can be asked for.
const shortDiff = 24

// aspects are what a person decides on, as labels and values: all that the call
// would do, nothing in it unseen.
func aspects(r permit.Request) []string {
	e := r.Effect
	var paths []string
	for _, p := range render.Files(e) {
		paths = append(paths, tool.Printable(p))
	}
	shown := strings.Join(paths, ", ")
	does := e.Summary
	switch named, only := strings.CutPrefix(does, e.Tool+" "); {
	case e.Command != "":
		does = "" // the command says it better
	case only && len(e.Paths) == 1 && strings.HasPrefix(named, e.Paths[0]):
		does, shown = "", tool.Printable(named) // and whether it is new
	}
	if all := len(paths); all > shownMatches {
		if e.Done != nil {
			all = e.Done.Files - len(e.Repositories)
		}
		shown = strings.Join(paths[:shownMatches], ", ") + " and " + strconv.Itoa(all-shownMatches) + " more"
	}
	folder := ""
	if e.Kind == permit.Execute && e.Done == nil {
		folder = e.Dir
		if folder == "" || folder == "." {
			folder = "the project's"
		}
	}
	ignored := ""
	if e.Done != nil {
		ignored = e.Done.IgnoredLine()
	}
	network := strings.Join(e.Hosts, ", ")
	if network == "" && e.Network && !e.Outside {
		network = "it may reach other machines"
	}
	caution := ""
	switch {
	case len(e.Automatic) > 0:
		caution = cautions(e)
	case e.Outside:
		caution = "it runs as you, with your files, network and credentials"
	case e.Done != nil:
	case e.Unconfined:
		caution = "this machine cannot hold the command in; see belay doctor"
	case e.Opaque:
		caution = "the text does not say all that the command runs"
	}
	kind := ""
	if r.Session {
		kind = e.KindOfCall()
	}
	text := "command"
	switch e.Kind {
	case permit.External:
		text = "input"
	case permit.Network:
		text = "address"
	}
	asks := strings.TrimSpace(r.Persona + " for " + e.Tool + " " + e.Manner())
	all := []string{
		"asks", asks, "does", does, text, e.Command, "folder", folder,
		"wrote", wrote(e), "files", shown, "git", strings.Join(render.GitLines(e), "\n"), "sends", strings.Join(render.Publication(e), "\n"), "ignored", ignored, "mind", several(e.OnRequest), "runs", several(e.Runs), "network", network, "opens", e.PortsLine(), "reason", e.Why, "caution", caution, "because", r.Reason, "kind", kind,
	}
	for i, text := range all {
		all[i] = render.Visible(text)
	}
	return all
}

// cautions name the files that other programs run by themselves; of many the first ones.
func cautions(e permit.Effect) string {
	text := strings.Join(e.Automatic[:min(len(e.Automatic), shownMatches)], "; ")
	if more := len(e.Automatic) - shownMatches; more > 0 {
		text += "; and " + strconv.Itoa(more) + " more"
	}
	return text
}

// several are sentences, each on a line; of many the first ones.
func several(sentences []string) string {
	if n := len(sentences); n > shownMatches {
		return strings.Join(sentences[:shownMatches], "\n") + "\nand " + strconv.Itoa(n-shownMatches) + " more"
	}
	return strings.Join(sentences, "\n")
}

// shownOutput is how many lines are shown of what a command wrote.
const shownOutput = 6

// wrote is the end of what a command wrote that has ended, and how it ended.
func wrote(e permit.Effect) string {
	if e.Done == nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(render.WithoutSequences(e.Done.Output)), "\n")
	return strings.Join(lines[max(0, len(lines)-shownOutput):], "\n")
}

// shortID is as much of a question's id as distinguishes it from others, so that a line to
// type fits a narrow window.
const shortID = len("dec_") + 8

// shortened is the beginning of a question's id.
func shortened(id string) string { return id[:min(len(id), shortID)] }

// printQuestion prints a question on stdout; lines bounds its diff, 0 does not.
func printQuestion(c *console, r permit.Request, lines int) {
	pairs := append([]string{"decision", r.ID, "session", r.SessionID, "project", r.ProjectRoot}, aspects(r)...)
	c.fields(append(pairs, "until", untilWhen(r, time.Now()))...)
	c.write(answerLines(c, pending{call: r}, "answer", len("decision")+2))
	if r.Effect.Diff != "" {
		c.write("\n")
		c.printDiff(r.Effect.Diff, lines, "belay decision show "+shortened(r.ID))
	}
}

// noteQuestion reports a question on stderr, as one of a turn's events.
func noteQuestion(c *console, r permit.Request) {
	pairs := aspects(r)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			c.note(pairs[i], pairs[i+1])
		}
	}
	if r.Effect.Diff != "" {
		c.noteDiff(r.Effect.Diff, shortDiff, "belay decision show "+shortened(r.ID))
	}
	_, _ = io.WriteString(c.err, answerLines(c, pending{call: r}, c.paint(styleQuiet, "answer"), noteCells)) // the sink keeps its first error
}
