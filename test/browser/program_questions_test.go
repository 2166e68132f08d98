package browser

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// get is the body of what the program answers to the page.
func (b *tab) get(path string) string {
	b.t.Helper()
	value[bool](b, "window.got = undefined, fetch("+quote(path)+").then(r => r.text()).then(x => { window.got = x; }), true")
	b.until("window.got !== undefined")
	return value[string](b, "window.got")
}

// transcript is that of the session that the page shows.
func (b *tab) transcript() string {
	b.t.Helper()
	return b.get("/api/harness/session/" + b.session() + "/transcript")
}

// told is what the session's last call told the agent.
func (b *tab) told() string {
	b.t.Helper()
	var a struct {
		Entries []struct{ Blocks []struct{ Type, Text string } }
	}
	if err := json.Unmarshal([]byte(b.transcript()), &a); err != nil {
		b.t.Fatal(err)
	}
	said := ""
	for _, entry := range a.Entries {
		for _, block := range entry.Blocks {
			if block.Type == "tool_result" {
				said = block.Text
			}
		}
	}
	return said
}

func (b *tab) session() string {
	return strings.TrimPrefix(value[string](b, "location.pathname"), "/s/")
}

// tell writes a message and sends it with the pointer.
func (b *tab) tell(text string) {
	b.t.Helper()
	b.do(chromedp.WaitEnabled(message), fill(message, text))
	b.click("#send")
}

// choose makes that the mode of the next turn. The list itself is the browser's, and keys
// choose in it.
func (b *tab) choose(mode string) {
	b.t.Helper()
	b.until("document.querySelector('#mode')")
	b.do(chromedp.Focus(chromedp.CSS("#mode")), press("Home"))
	for range 4 {
		if value[string](b, "document.querySelector('#mode').value") == mode {
			return
		}
		b.do(press("ArrowDown"))
	}
	b.t.Fatalf("no mode %s", mode)
}

// asks waits for a question with that title in the conversation.
func (b *tab) asks(title string) {
	b.t.Helper()
	b.until("document.querySelector('.question h3')?.innerText === " + quote(title))
}

// ends waits until so many turns are shown and the last one has ended in that way.
func (b *tab) ends(turns int, how string) {
	b.t.Helper()
	b.until("document.querySelectorAll('.turn').length === " + strconv.Itoa(turns) + " && [...document.querySelectorAll('.foot .state')].at(-1)?.innerText.startsWith(" + quote(how) + ")")
}

// absent fails the test if a file exists.
func absent(t *testing.T, project string, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(project, name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there: %v", name, err)
		}
	}
}

// makesFiles is what a model says that has a command make three files.
const makesFiles = `turns:
  - when: Make the files
    steps:
      - call: {name: bash, input: {command: "mkdir out; echo one > out/a.txt; echo two > out/b.txt; echo three > out/c.txt"}}
      - say: They are made.
`

// secondFile is the tick of out/b.txt in a question about them.
const secondFile = ".question .diff-head + .diff-file + .diff-file .pick input"

// decidesAfter skips where people decide before a command runs, and not on its changes.
func decidesAfter(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("skipped: only Linux has the overlay that holds the changes of commands back")
	}
}

// With the program itself a person applies some files of a command, looks at a diff side by
// side and refuses it with a note, and allows one kind of call for the session.
func TestProgramAnswersQuestions(t *testing.T) {
	decidesAfter(t)
	b, project, _ := pipedWith(t, "", makesFiles+`  - when: Change the notes
    steps:
      - call: {name: edit, input: {path: notes.md, edits: [{old: old words, new: new words}]}}
      - say: I leave them.
  - when: Write two
    steps:
      - call: {name: write, input: {path: one.md, content: "1\n"}}
      - say: And the next.
      - call: {name: write, input: {path: two.md, content: "2\n"}}
      - say: Written.
`, func(project string) { put(t, project, "notes.md", "# Notes\nold words\n") })
	b.tell("Make the files.")
	b.asks("WORKING_ITEMS ran a command that changed 3 files")
	absent(t, project, "out")
	b.click(secondFile)
	b.until("document.querySelector('.answers .primary').innerText.includes('Apply 2 of 3 files')")
	b.click(".answers .primary")
	b.ends(1, "done")
	if got := read(t, project, "out/a.txt") + read(t, project, "out/c.txt"); got != "one\nthree\n" {
		t.Errorf("the ticked files read %q", got)
	}
	absent(t, project, "out/b.txt")
	if got := b.told(); !strings.HasSuffix(got, "a person applied only: out/a.txt, out/c.txt; what it changed in 1 other file was dropped") {
		t.Errorf("the model reads %q", got)
	}

	b.tell("Change the notes.")
	b.asks("WORKING_ITEMS wants to change notes.md")
	b.click(".question [data-style=split]")
	b.until("document.querySelector('.question .diff-lines.two')")
	if got := value[string](b, "[...document.querySelectorAll('.question .diff-lines tr')].map(r => [...r.querySelectorAll('.t')].map(c => c.textContent).join('|')).join('\\n')"); got != "# Notes|# Notes\nremoved: old words|added: new words" {
		t.Errorf("side by side the diff reads %q", got)
	}
	b.click(".answers .plain")
	b.do(fill(chromedp.CSS(".note-field textarea"), "name the source first"))
	b.click(".answers .danger")
	b.ends(2, "done")
	if got := read(t, project, "notes.md"); got != "# Notes\nold words\n" {
		t.Errorf("the refused change was made: %q", got)
	}
	if got := b.told(); !strings.Contains(got, "did not allow this call (they said: name the source first)") {
		t.Errorf("the model reads %q", got)
	}

	b.tell("Write two.")
	b.asks("WORKING_ITEMS wants to write one.md")
	b.click(".answers .session")
	b.ends(3, "done")
	if got := read(t, project, "one.md") + read(t, project, "two.md"); got != "1\n2\n" {
		t.Errorf("the files read %q", got)
	}
	if closed := b.get("/api/harness/decisions/closed"); strings.Count(closed, `"decisionId"`) != 3 || strings.Count(closed, `"allow_session"`) != 1 {
		t.Errorf("the answers are %s", closed)
	}
}

// With the program itself the changes of an interrupted turn are kept: a person applies some
// of them and discards the rest.
func TestProgramKeepsChanges(t *testing.T) {
	decidesAfter(t)
	b, project, _ := pipedWith(t, "", makesFiles, func(string) {})
	b.tell("Make the files.")
	b.asks("WORKING_ITEMS ran a command that changed 3 files")
	b.click("#interrupt")
	b.ends(1, "interrupted")
	absent(t, project, "out")
	b.click("a[href='/inbox']")
	b.click(".tabs a[href='/inbox?show=kept']")
	b.until("document.querySelectorAll('.question .pick').length === 3")
	b.click(secondFile)
	b.until("document.querySelector('#keep').innerText.includes('Apply 2 of 3 files')")
	b.click("#keep")
	b.until("document.querySelector('#announce').innerText.includes('Applied: 2 files')")
	if got := read(t, project, "out/a.txt") + read(t, project, "out/c.txt"); got != "one\nthree\n" {
		t.Errorf("the ticked files read %q", got)
	}
	b.until("document.querySelectorAll('.question .diff-file').length === 1 && document.querySelector('.question .path').innerText === 'out/b.txt'")
	b.click("#drop")
	b.until("document.querySelector('#announce').innerText.includes('Discarded') && document.body.innerText.includes('Nothing is kept')")
	absent(t, project, "out/b.txt")
	if kept := b.get("/api/project/changes?projectRoot=" + project); strings.Contains(kept, "chg_") {
		t.Errorf("still kept: %s", kept)
	}
}

// With the program itself an undo is refused while a file differs from what the turn left,
// and works when it does not.
func TestProgramUndoes(t *testing.T) {
	b, project, _ := pipedWith(t, "", `turns:
  - when: Change the notes
    steps:
      - call: {name: edit, input: {path: notes.md, edits: [{old: old words, new: new words}]}}
      - call: {name: edit, input: {path: list.md, edits: [{old: first, new: second}]}}
      - say: Changed.
`, func(project string) {
		put(t, project, "notes.md", "# Notes\nold words\n")
		put(t, project, "list.md", "first\n")
	})
	b.choose("acceptEdits")
	b.tell("Change the notes.")
	b.ends(1, "done")
	put(t, project, "list.md", "mine\n")
	b.mayFail() // the undo
	b.click(".turn-actions .changes")
	b.click("#undo")
	b.until("document.querySelector('dialog .notice')?.innerText.includes('list.md')")
	if got := b.text("dialog .notice"); !strings.Contains(got, "A file has changed since") {
		t.Errorf("the refusal reads %q", got)
	}
	b.shot("refused")
	if got := read(t, project, "notes.md") + read(t, project, "list.md"); got != "# Notes\nnew words\nmine\n" {
		t.Errorf("after a refused undo the files read %q", got)
	}
	put(t, project, "list.md", "second\n")
	b.click("#undo")
	b.until("document.querySelector('.undone')?.innerText.includes('notes.md')")
	if got := read(t, project, "notes.md") + read(t, project, "list.md"); got != "# Notes\nold words\nfirst\n" {
		t.Errorf("after the undo the files read %q", got)
	}
	if changes := b.get("/api/harness/session/" + b.session() + "/changes"); !strings.Contains(changes, `"undone"`) {
		t.Errorf("the record of changes is %s", changes)
	}
}
