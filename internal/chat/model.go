package chat

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"belay/internal/blank"
	"belay/internal/render"
	"belay/internal/session"
)

// Model is the state of a chat. It belongs to the program's goroutine; what takes
// time runs beside it as a job and comes back as a message.
type Model struct {
	o     Options
	calls calls

	look *render.Look
	// ascii is set for a terminal without UTF-8.
	ascii        bool
	conversation conversation
	editor       editor
	width        int
	height       int

	// session is "" until the first message. It is loading until all of it was read.
	session  string
	loading  bool
	unread   bool // it could not be read: the next message has it read again
	follower follower

	reducer reducer
	// greeting is shown once the session is on the screen.
	greeting string
	outbox   outbox
	own      own
	// clipboard has the images that were pasted.
	clipboard clipboard
	dialog    dialog
	// attention calls the person to a question.
	attention attention
	// touched is when a key was pressed last, so that a question that comes up
	// under a typing hand is not answered by it.
	touched time.Time

	menu *menu
	info info
	// answer is what the model said last.
	answer string
	// pressed is when Ctrl-C was, leaving until when the next one leaves, or whatever
	// key leavingBy names.
	leaving, pressed time.Time
	leavingBy        string
	stopping         bool
	ticking          bool
}

// New returns the model of a chat whose jobs end with ctx.
func New(ctx context.Context, o Options) *Model {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	past, err := openHistory(o.History)
	l := render.NewLook()
	m := &Model{
		o: o, look: l, editor: newEditor(past, o.Folder, l), width: 80, height: 24,
	}
	problems := loadCommands(m)
	m.calls.o, m.calls.ctx = &m.o, ctx
	m.follower = follower{calls: &m.calls, conversation: &m.conversation, timer: timer}
	m.dialog = dialog{calls: &m.calls, conversation: &m.conversation, editor: &m.editor, look: l, clock: engineClock{own: o.Clock}}
	m.attention.off, m.ascii = o.Quiet, withoutUTF8(o.Env)
	m.fresh(o.Session)
	switch {
	case o.Session != "":
	case o.Welcome != nil && blank.Is(o.Say):
		m.welcome()
	default:
		m.greet()
	}
	for _, n := range o.Notices {
		m.conversation.notify(noticeInfo, n)
	}
	for _, p := range problems {
		m.conversation.notify(noticeWarning, p)
	}
	if err != nil {
		m.conversation.notify(noticeWarning, err.Error())
	}
	return m
}

// Init implements [tea.Model].
func (m *Model) Init() tea.Cmd {
	begin := m.first
	if m.session != "" {
		begin = func() tea.Cmd { return m.calls.load(m.session, m.follower.log) }
	}
	return tea.Batch(
		tea.RequestBackgroundColor, // one that does not tell is taken for dark; nobody waits
		// A size that changes between the first look at it and the wait for signals comes with none.
		m.follower.timer(settleAfter, settled{}),
		begin(), m.calls.checkKey(),
	)
}

// first says what the person wants said first.
func (m *Model) first() tea.Cmd {
	text := m.o.Say
	m.outbox.attached = append(m.outbox.attached, m.o.Attach...)
	m.o.Say, m.o.Attach = "", nil
	if blank.Is(text) {
		return nil
	}
	if name, rest, ok := command(m.editor.commands, text); ok {
		return m.run(name, rest, rest)
	}
	return m.speak(text, text, session.Steer)
}

// working reports whether a turn runs or is about to.
func (m *Model) working() bool { return m.reducer.turn != "" || m.outbox.sending != nil }

// Update implements [tea.Model].
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.update(msg)
	if call := m.attention.call(m.dialog.asks); call != nil {
		cmd = tea.Batch(cmd, call)
	}
	if !m.ticking && (m.working() || m.own.running != nil || len(m.dialog.asks) > 0 || m.o.Clock().Before(m.leaving)) {
		m.ticking = true
		cmd = tea.Batch(cmd, m.follower.timer(tickEvery, ticked{}))
	}
	return m, cmd
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return m.resized(max(1, msg.Width), max(1, msg.Height))
	case settled:
		return sizeOf(m.o.Output, tea.WindowSizeMsg{Width: m.width, Height: m.height})
	case tea.KeyPressMsg:
		return m.key(msg)
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			m.conversation.scroll(-wheelLines)
		case tea.MouseWheelDown:
			m.conversation.scroll(wheelLines)
		}
		return nil
	case tea.FocusMsg:
		m.attention.focused(true)
		return nil
	case tea.BlurMsg:
		m.attention.focused(false)
		return nil
	case tea.BackgroundColorMsg:
		if !msg.IsDark() {
			m.look.Light()
			m.conversation.refresh()
		}
		return nil
	case tea.ModeReportMsg:
		m.measure(msg)
		return nil
	case tea.PasteMsg:
		m.touched = m.o.Clock()
		if m.dialog.paste(msg) {
			return nil
		}
		if m.dialog.answering {
			m.dialog.lookAway()
		}
		if m.menu == nil {
			if cmd, ok := attachPasted(m, msg.Content); ok {
				return cmd
			}
		}
		return m.typed(msg)
	case ticked:
		m.ticking = false
		m.dialog.expire()
		m.own.refresh(&m.conversation)
		m.offerKeys()
		return nil
	}
	return m.answered(msg)
}

// measure takes the terminal's word on whether it counts a character of several code
// points as one. What draws counts as the terminal does, and so must who sets lines.
func (m *Model) measure(msg tea.ModeReportMsg) {
	if msg.Mode != ansi.ModeUnicodeCore || msg.Value != ansi.ModeReset && msg.Value != ansi.ModeSet && msg.Value != ansi.ModePermanentlySet {
		return
	}
	m.look.Wide, m.editor.wide = ansi.GraphemeWidth, ansi.GraphemeWidth
	m.conversation.refresh()
}

// tickEvery is how often the elapsed time is drawn anew.
const tickEvery = time.Second / 4

type ticked struct{}

func timer(d time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

// offerKeys gives the question the keys as soon as nobody types.
func (m *Model) offerKeys() {
	if m.menu == nil && m.editor.empty() && m.o.Clock().Sub(m.touched) >= quiet {
		m.dialog.offer()
	}
}
