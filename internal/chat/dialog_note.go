package chat

import (
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"belay/internal/blank"
	"belay/internal/permit"
	"belay/internal/render"
)

// maxNote is how much one can say of why not.
const maxNote = 500

// noteKey is a key while the person writes why not, or which files count.
func (d *dialog) noteKey(a *ask, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "enter":
		text := strings.TrimSpace(a.note.Value())
		if a.picking {
			only, err := a.effect.Choose(text)
			if err != nil {
				a.failed = err.Error()
				return nil
			}
			a.note = nil
			return d.decide(a, permit.VerdictAllow, "", only...)
		}
		a.note = nil
		return d.decide(a, permit.VerdictDeny, text)
	case "esc":
		a.note, a.failed = nil, ""
		return nil
	}
	*a.note, _ = a.note.Update(k) // its commands are for the clipboard and a cursor that blinks
	return nil
}

// write opens a line in which the person writes.
func (a *ask) write(label string, l *render.Look) {
	in := textinput.New()
	in.Prompt, in.CharLimit = label, maxNote
	in.KeyMap.Paste.SetEnabled(false) // it runs programs of the machine
	in.SetStyles(textinput.Styles{Focused: textinput.StyleState{Prompt: l.Strong}})
	in.SetVirtualCursor(false)
	in.Focus()
	a.note, a.picking = &in, false
}

// keepNote keeps what the person was writing about a question that is closed. Where no
// other question waits they write on in the editor.
func (d *dialog) keepNote(a *ask) {
	if a.note == nil || a.picking || blank.Is(a.note.Value()) {
		return
	}
	text := strings.TrimLeft(a.note.Value(), " ")
	commands := text[0] == '!' || text[0] == '/' // and Enter, meant for the note, would run it
	if len(d.asks) == 0 && d.editor.empty() && !commands {
		d.editor.set(text)
		return
	}
	d.conversation.notify(noticeWarning, "the question was closed before you had written why not: "+render.Line(text))
}
