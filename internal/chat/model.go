package chat

import (
	"context"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"

	"belay/internal/blank"
	"belay/internal/event"
	"belay/internal/session"
)

// Model is the state of a chat. It belongs to the program's goroutine; what takes
// time runs beside it as a job and comes back as a message.
type Model struct {
	o     Options
	ctx   context.Context
	tasks tasks
	// timer brings a message after a while; tests have no time.
	timer func(d time.Duration, msg tea.Msg) tea.Cmd

	look   *look
	roll   roll
	editor editor
	width  int
	height int

	// session is "" until the first message. after is the last sequence that was
	// seen of its log, which log reads.
	session string
	after   int64
	log     *reader
	// lost is how often the reader of the log broke in a row, lostWhy why the last
	// time.
	lost    int
	lostWhy string

	story story
	// greeting is told once the session is on the screen.
	greeting string
	// sending is what was said while no turn ran and is on its way.
	sending *said
	// early is what was said while that was on its way; queued what the running
	// turn was told and has not taken yet.
	// late what came when the turn was over but its end was not seen yet.
	early, queued, late []steering

	asks []*ask
	// answering is set while the first question has the keys, away when the person
	// has taken them from it.
	answering, away bool
	// resting is until when a question that came up behind another takes no answer.
	resting time.Time
	// touched is when a key was pressed last, so that a question that comes up
	// under a typing hand is not answered by it.
	touched time.Time

	menu     *menu
	attached []string
	// model, persona and mode are those of the session, for the bottom line; origin
	// is what it was forked from, governance whether its agent may delegate.
	persona, mode, model string
	spent                float64
	origin               *session.Origin
	governance           *event.Governance
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
	m := &Model{
		o: o, ctx: ctx, look: newLook(), editor: newEditor(past, o.Folder), timer: timer, width: 80, height: 24,
	}
	m.fresh(o.Session)
	if o.Session == "" {
		m.greet()
	}
	for _, n := range o.Notices {
		m.tell(tells, n)
	}
	if err != nil {
		m.tell(warns, err.Error())
	}
	return m
}

// Init implements [tea.Model].
func (m *Model) Init() tea.Cmd {
	if m.session == "" {
		return m.first()
	}
	return m.load()
}

// first says what the person wants said first.
func (m *Model) first() tea.Cmd {
	text := m.o.Say
	m.attached = append(m.attached, m.o.Attach...)
	m.o.Say, m.o.Attach = "", nil
	if blank.Is(text) {
		return nil
	}
	return m.speak(text, text, session.Steer)
}

// working reports whether a turn runs or is about to.
func (m *Model) working() bool { return m.story.turn != "" || m.sending != nil }

// tell adds a notice. The same one again is counted.
func (m *Model) tell(kind noticeKind, text string) {
	if text == "" {
		return
	}
	if i := len(m.roll.cells) - 1; i >= 0 {
		if last, ok := m.roll.cells[i].item.(*notice); ok && last.kind == kind && last.text == text {
			last.again++
			m.roll.touch(i)
			return
		}
	}
	m.roll.add(&notice{kind: kind, text: text})
}

// Update implements [tea.Model].
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.update(msg)
	if !m.ticking && (m.working() || len(m.asks) > 0 || m.o.Clock().Before(m.leaving)) {
		m.ticking = true
		cmd = tea.Batch(cmd, m.timer(tickEvery, ticked{}))
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
		return m.wheel(msg)
	case tea.ModeReportMsg:
		m.measure(msg)
		return nil
	case tea.PasteMsg:
		m.touched = m.o.Clock()
		if m.answering && len(m.asks) > 0 && m.asks[0].note != nil {
			m.asks[0].write(msg.Content)
			return nil
		}
		if m.answering {
			m.lookAway()
		}
		return m.typed(msg)
	case ticked:
		m.ticking = false
		m.expire()
		m.offerKeys()
		return nil
	}
	return m.answered(msg)
}

// settleAfter is how long after a change of its size a terminal is looked at again.
const settleAfter = 400 * time.Millisecond

type settled struct{}

// resized takes a size. While a window is being dragged, a terminal may tell of a
// size before or after it has moved what it shows, and two reports may overtake each
// other. So a new size is asked for once more when things are quiet, which also draws
// everything anew; the same size again ends that.
func (m *Model) resized(width, height int) tea.Cmd {
	same := width == m.width && height == m.height
	m.width, m.height, m.editor.width = width, height, width
	if same {
		return nil
	}
	return m.timer(settleAfter, settled{})
}

// sizeOf asks a terminal for its size; one that does not tell still has the size known.
// [tea.RequestWindowSize] does not serve: it looks beside the look that a signal
// brings about, and both write to the same place.
func sizeOf(output io.Writer, known tea.WindowSizeMsg) tea.Cmd {
	return func() tea.Msg {
		f, ok := output.(interface{ Fd() uintptr })
		if !ok {
			return known
		}
		width, height, err := term.GetSize(int(f.Fd()))
		if err != nil {
			return known
		}
		return tea.WindowSizeMsg{Width: width, Height: height}
	}
}

// measure takes the terminal's word on whether it counts a character of several code
// points as one. What draws counts as the terminal does, and so must who sets lines.
func (m *Model) measure(msg tea.ModeReportMsg) {
	if msg.Mode != ansi.ModeUnicodeCore || msg.Value != ansi.ModeReset && msg.Value != ansi.ModeSet && msg.Value != ansi.ModePermanentlySet {
		return
	}
	m.look.wide, m.editor.wide = ansi.GraphemeWidth, ansi.GraphemeWidth
	for _, a := range m.asks {
		if a.note != nil {
			a.note.wide = ansi.GraphemeWidth
		}
	}
	m.roll.refresh()
}

// tickEvery is how often the elapsed time is drawn anew.
const tickEvery = time.Second / 4

type ticked struct{}

func timer(d time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}
