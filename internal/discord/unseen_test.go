package discord_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"belay/internal/bus/contract"
	"belay/test/discordtest"
)

// publish is a question to send files, of which one is not what the others are.
func publish(id string, count int) *contract.DecisionOpened {
	d := changes(id)
	d.Asks, d.Command, d.Output, d.Diff, d.Files, d.FileCount, d.Session = contract.AsksPublish, "", "", "", nil, count, false
	d.Summary, d.Notes = "send to discord, channel 1: reports/a.pdf …", []string{"to discord, channel 1"}
	for i := range count {
		path := fmt.Sprintf("reports/weekly-report-of-the-team-%d.pdf", i)
		if i == count/2 {
			path = "secrets/.env"
		}
		d.Files = append(d.Files, contract.ChangedFile{Path: path, Class: contract.ClassOrdinary, Bytes: 12 << 10})
		d.Notes = append(d.Notes, path+" (12 KiB, application/pdf)")
	}
	return d
}

// wholeIn is the text of the attached file of a name, "" where there is none.
func (w *world) wholeIn(m discordtest.Message, name string) string {
	w.t.Helper()
	i := slices.IndexFunc(m.Attachments, func(a discordtest.Attachment) bool { return a.Filename == name })
	if i < 0 {
		return ""
	}
	return string(w.File(w.t, m.Attachments[i]))
}

// allows reports whether a question has a button that allows something.
func allows(m discordtest.Message) bool {
	for _, id := range buttons(m) {
		if strings.HasPrefix(id, "belay:allow:") || strings.HasPrefix(id, "belay:session:") {
			return true
		}
	}
	return false
}

// Names for which a question has no room are in a file, also those of files that run by
// themselves. Where that cannot be sent, or the bus left files out, nobody allows the question.
func TestFilesOutOfSight(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("send it")
	r := w.agent.requested(1)
	w.agent.signal(r.Session, r.Request, publish("q1", 20))
	q := w.asked(1)
	if text := w.wholeIn(q, "files.txt"); !strings.Contains(text, "secrets/.env (12 KiB)") || strings.Count(text, "reports/weekly") != 2*19 || !allows(q) {
		t.Errorf("the file says %q, the question %q", text, q.Shown())
	}
	d := changes("q2")
	d.Files = nil
	for i := range 40 {
		d.Files = append(d.Files, contract.ChangedFile{Path: fmt.Sprintf("packages/part-%d/.vscode/tasks.json", i), Class: contract.ClassRunsByItself, Reason: "runs in an editor"})
	}
	d.FileCount = len(d.Files)
	w.agent.signal(r.Session, r.Request, d)
	q = w.asked(2)
	if text := w.wholeIn(q, "files.txt"); !strings.Contains(text, "part-39/.vscode/tasks.json: runs in an editor") || !allows(q) {
		t.Errorf("the file says %q, the question %q", text, q.Shown())
	}
	d = publish("q3", 3)
	d.FileCount = 4
	w.agent.signal(r.Session, r.Request, d)
	if q = w.asked(3); allows(q) || len(buttons(q)) != 2 || !strings.Contains(q.Content, "The list of files cannot be shown whole here") || !strings.Contains(q.Shown(), "and 1 more file") {
		t.Errorf("without a file's name the question is %q %v", q.Shown(), buttons(q))
	}
	w.ForbidFiles(w.channel, true)
	w.agent.signal(r.Session, r.Request, publish("q4", 20))
	if q = w.asked(4); allows(q) || len(buttons(q)) != 2 || !strings.Contains(q.Content, "cannot be shown whole here") || strings.Contains(q.Shown(), "attached files.txt") {
		t.Errorf("without files.txt the question is %q %v", q.Shown(), buttons(q))
	}
	w.agent.signal(r.Session, r.Request, publish("q5", 2))
	if q = w.asked(5); !allows(q) || !strings.Contains(q.Shown(), "`secrets/.env`") {
		t.Errorf("a short question is %q %v", q.Shown(), buttons(q))
	}
}

// Where no embed is shown, nobody allows what does not fit into the text.
func TestDetailsThatDoNotFitIntoTheText(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]discordtest.EmbedRule{"left out": discordtest.EmbedsLeftOut, "refused": discordtest.EmbedsRefused} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, nil)
			w.Embeds(w.channel, rule)
			w.mention("build")
			r := w.agent.requested(1)
			d := changes("q1")
			d.Command, d.Output, d.Diff = strings.Repeat("make; ", 80), strings.Repeat("done ", 60), strings.Repeat("+one line\n", 65)
			for i := range 12 {
				d.Files = append(d.Files, contract.ChangedFile{Path: fmt.Sprintf("src/part-%d/a-file-of-it.go", i), Class: contract.ClassOrdinary})
			}
			d.FileCount = len(d.Files)
			w.agent.signal(r.Session, r.Request, d)
			w.Wait(t, "the question", func() bool { return len(w.Own(w.channel)) == 1 && strings.Contains(w.last().Content, "```sh") })
			if q := w.last(); allows(q) || len(buttons(q)) != 2 || !strings.Contains(q.Content, "cannot be shown whole here") {
				t.Errorf("the question is %q %v", q.Content, buttons(q))
			}
		})
	}
}

// A host is shown whole: its end says whose it is. A path is cut in its middle, and blanks in
// a name stay.
func TestNamesThatAreLong(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("build")
	r := w.agent.requested(1)
	host := "registry.npmjs.org." + strings.Repeat(strings.Repeat("a", 53)+".", 4) + "evil.example:8443"
	d := changes("q1")
	d.Asks, d.Command, d.Output, d.Diff, d.Files, d.FileCount = contract.AsksHost, "", "", "", nil, 0
	d.Summary, d.Hosts = "a command connects to "+host, []string{host}
	w.agent.signal(r.Session, r.Request, d)
	if q := w.asked(1); !strings.Contains(q.Content, host) || !strings.Contains(q.Shown(), "`"+host+"`") || len(q.Attachments) > 0 || !allows(q) {
		t.Errorf("the question is %q", q.Shown())
	}
	d = changes("q2")
	long := "packages/frontend/components/settings/account/security/two-factor/backup-codes/a-folder-with-a-long-name/.vscode/tasks.json"
	d.Files = []contract.ChangedFile{{Path: long, Class: contract.ClassRunsByItself}, {Path: "a  b.txt", Class: contract.ClassOrdinary}}
	w.agent.signal(r.Session, r.Request, d)
	q := w.asked(2)
	if !strings.Contains(q.Shown(), "…") || !strings.Contains(q.Shown(), "/.vscode/tasks.json`") || !strings.Contains(q.Shown(), "`a  b.txt`") || !strings.Contains(w.wholeIn(q, "files.txt"), long) {
		t.Errorf("the question is %q", q.Shown())
	}
}

// Where a question cannot get the text that a channel without embeds needs, nobody allows it
// there.
func TestDetailsThatDiscordRefuses(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.Embeds(w.channel, discordtest.EmbedsLeftOut)
	w.mention("build")
	r := w.agent.requested(1)
	w.Script(discordtest.Rule{Method: "PATCH", Path: w.channel + "/messages", Status: 403, Code: 50013})
	w.agent.signal(r.Session, r.Request, changes("q1"))
	w.asked(1)
	w.recorded(`"message":"`+w.last().ID, 1)
	if q := w.last(); allows(q) || len(buttons(q)) != 2 {
		t.Errorf("the question is %q %v", q.Content, buttons(q))
	}
}

// A short command whose notes are cut is not what cannot be shown: the question is.
func TestNotesOutOfSight(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mention("build")
	r := w.agent.requested(1)
	d := changes("q1")
	d.Command, d.CommandTruncated, d.Notes = "make", true, []string{"the first of many"}
	w.agent.signal(r.Session, r.Request, d)
	if q := w.asked(1); allows(q) || !strings.Contains(q.Content, "The question cannot be shown whole here") {
		t.Errorf("the question is %q %v", q.Content, buttons(q))
	}
}
