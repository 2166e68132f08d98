package discord

import (
	"fmt"
	"path"
	"strings"

	"belay/internal/bus/contract"
	"belay/internal/discord/client"
	"belay/internal/discord/split"
	"belay/internal/quantity"
	"belay/internal/render"
)

// How much of what a question lists is shown, in characters.
const (
	maxHosts = 1000 // of all hosts: the longest has 253, and its port
	maxField = 500  // of another list
	maxHost  = 300
	maxPath  = 120
	maxNote  = 150
)

// entry is one thing of a list. Short is how it is shown, whole is all that is known of it.
type entry struct {
	short, whole string
	cut          bool // short does not show what it is about whole
}

// lists are the hosts, files and notes of a question.
type lists struct {
	fields []client.EmbedField
	// text has all of them. Whole says that the fields show everything that people decide about.
	text  string
	whole bool
}

// listsOf are what a question lists.
func listsOf(d contract.Decision) lists {
	all := lists{whole: true}
	if d.Command == "" { // then the summary alone says what is asked
		all.write("", []entry{{whole: render.Visible(d.Summary), cut: summaryOf(d) != plain(d.Summary)}})
	}
	var hosts, notes []entry
	for _, h := range d.Hosts {
		hosts = append(hosts, named(h, maxHost))
	}
	all.add("Hosts", "hosts", ", ", maxHosts, hosts)
	if d.Destination != "" {
		all.add("To", "", "", maxField, []entry{said(d.Destination)})
	}
	for _, class := range []struct {
		is   contract.Class
		word string
	}{
		{contract.ClassRunsByItself, "⚠️ **Runs by itself**"}, {contract.ClassRunsOnRequest, "Runs when you ask for it"},
		{contract.ClassOrdinary, "Files"}, {contract.ClassDropped, "🚫 **Never applied**"},
	} {
		var files []entry
		for _, f := range d.Files {
			if f.Class == class.is {
				files = append(files, fileEntry(f))
			}
		}
		all.add(class.word, "files", ", ", maxField, files)
	}
	if more := d.FileCount - len(d.Files); more > 0 {
		text := fmt.Sprintf("and %d more files", more)
		notes = append(notes, entry{short: text, whole: text})
	}
	for _, n := range d.Notes {
		notes = append(notes, said(n))
	}
	all.add("Also", "notes", "\n", maxField, notes)
	return all
}

// add shows a list in a field, unless there is nothing in it. Each entry is shorter than the field.
func (l *lists) add(name, what, between string, most int, all []entry) {
	if len(all) == 0 {
		return
	}
	l.write(strings.Trim(name, "⚠️🚫* ")+":", all)
	const roomForMore = 30
	value := ""
	for i, e := range all {
		next := value + e.short
		if i > 0 {
			next = value + between + e.short
		}
		if room := most - roomForMore; split.Length(next) > room && (i+1 < len(all) || split.Length(next) > most) {
			l.whole = false
			value += between + fmt.Sprintf("and %d more %s", len(all)-i, what)
			break
		}
		value = next
	}
	l.fields = append(l.fields, client.EmbedField{Name: name, Value: value})
}

// write adds a list to the text.
func (l *lists) write(name string, all []entry) {
	if name != "" {
		l.text += name + "\n"
	}
	for _, e := range all {
		l.text += e.whole + "\n"
		l.whole = l.whole && !e.cut
	}
	l.text += "\n"
}

// fileEntry is a file with its size and the reason for its class.
func fileEntry(f contract.ChangedFile) entry {
	e := named(f.Path, maxPath)
	if f.Bytes > 0 {
		e.whole += " (" + quantity.Size(f.Bytes) + ")"
	}
	if f.Reason != "" {
		e.whole += ": " + oneLine.Replace(render.Visible(f.Reason))
	}
	return e
}

// oneLine shows ends of lines, so that nothing stands on a line of its own which is none.
var oneLine = strings.NewReplacer("\n", "␊", "\r", "␍")

// named is a name, shown as code, so that Discord does not look for anything in it.
func named(name string, most int) entry {
	name = oneLine.Replace(render.Visible(name))
	short := middle(name, most)
	return entry{"`" + strings.ReplaceAll(short, "`", "'") + "`", name, short != name}
}

// said is a sentence.
func said(text string) entry {
	shown := plain(text)
	short := cut(shown, maxNote)
	return entry{short, oneLine.Replace(render.Visible(text)), short != shown}
}

// middle shortens a path in its middle: the name of the file itself stays, and so does the
// end of a host, which says whose it is.
func middle(name string, most int) string {
	r := []rune(name)
	if len(r) <= most {
		return name
	}
	end := min(max(len([]rune(path.Base(name)))+1, most/2), most*3/4)
	return string(r[:most-end-1]) + "…" + string(r[len(r)-end:])
}
