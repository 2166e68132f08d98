package contract

import "time"

// SessionCreate makes a session. The reply is [SessionCreated]. Where the envelope names the
// request that needs the session, a repetition gets the session that the same server made before.
type SessionCreate struct {
	ProjectRoot string `json:"projectRoot"`
	Persona     string `json:"persona,omitempty"`
	Mode        string `json:"mode,omitempty"`
}

// Session is a session as surfaces show it.
type Session struct {
	SessionID   string    `json:"sessionId"`
	ProjectRoot string    `json:"projectRoot"`
	Persona     string    `json:"persona,omitempty"`
	Mode        string    `json:"mode,omitempty"`
	Model       string    `json:"model,omitempty"`
	CreatedAt   time.Time `json:"createdAt"`
	UpdatedAt   time.Time `json:"updatedAt"`
}

// SessionCreated is the new session.
type SessionCreated struct {
	Session Session `json:"session"`
}

// SessionStatus asks what happens in the session of the envelope. The reply is
// [SessionState].
type SessionStatus struct{}

// SessionState is what happens in a session.
type SessionState struct {
	Session Session `json:"session"`
	// Running is the request whose turn runs, Queued are all others that wait: those in line
	// first, in order.
	Running *RunningRequest `json:"running,omitempty"`
	Queued  []string        `json:"queued,omitempty"`
	// Open are the questions that wait for a person, without their diffs where all
	// would be too large.
	Open []Decision `json:"open,omitempty"`
}

// RunningRequest is the request that a turn works on.
type RunningRequest struct {
	Request string    `json:"request"`
	TurnID  string    `json:"turnId"`
	Since   time.Time `json:"since"`
}

// SessionList lists the sessions of a project, the last used first. The reply is
// [SessionPage].
type SessionList struct {
	ProjectRoot string `json:"projectRoot"`
	// Limit is at most 200; 0 is 50.
	Limit int `json:"limit,omitempty"`
}

// SessionPage is a list of sessions. More says that there are others.
type SessionPage struct {
	Sessions []Session `json:"sessions"`
	More     bool      `json:"more,omitempty"`
}

// PersonaList asks whom a request can be sent to. The reply is [Personas].
type PersonaList struct{}

// Personas are at most 200 personas.
type Personas struct {
	Personas []Persona `json:"personas"`
}

// Persona is one of them.
type Persona struct {
	ID          string `json:"id"`
	Description string `json:"description,omitempty"`
}

func (m *SessionCreate) check(c *checker) {
	c.filled("projectRoot", m.ProjectRoot, maxPath)
	c.text("persona", m.Persona, maxLabel)
	c.text("mode", m.Mode, maxLabel)
}

func (m *Session) check(c *checker, field string) {
	c.matches(field+".sessionId", m.SessionID, sessionPattern)
	c.text(field+".projectRoot", m.ProjectRoot, maxPath)
	c.text(field+".persona", m.Persona, maxLabel)
	c.text(field+".mode", m.Mode, maxLabel)
	c.text(field+".model", m.Model, maxLabel)
	c.year(field+".createdAt", m.CreatedAt)
	c.year(field+".updatedAt", m.UpdatedAt)
}

func (m *SessionCreated) check(c *checker) { m.Session.check(c, "session") }
func (*SessionStatus) check(*checker)      {}

func (m *SessionState) check(c *checker) {
	m.Session.check(c, "session")
	if r := m.Running; r != nil {
		if r.Request != "" {
			c.matches("running.request", r.Request, requestPattern)
		}
		c.text("running.turnId", r.TurnID, maxLabel)
		c.year("running.since", r.Since)
	}
	c.that(len(m.Queued) <= maxQueued, "queued", "has %d entries, the limit is %d", len(m.Queued), maxQueued)
	for _, request := range m.Queued {
		c.text("queued", request, maxLabel)
	}
	c.list("open", len(m.Open))
	for i := range m.Open {
		m.Open[i].check(c)
	}
}

func (m *SessionList) check(c *checker) {
	c.filled("projectRoot", m.ProjectRoot, maxPath)
	c.that(m.Limit >= 0 && m.Limit <= maxList, "limit", "must be 0 to %d", maxList)
}

func (m *SessionPage) check(c *checker) {
	c.list("sessions", len(m.Sessions))
	for i := range m.Sessions {
		m.Sessions[i].check(c, "sessions")
	}
}

func (*PersonaList) check(*checker) {}

func (m *Personas) check(c *checker) {
	c.list("personas", len(m.Personas))
	for _, p := range m.Personas {
		c.filled("personas.id", p.ID, maxLabel)
		c.text("personas.description", p.Description, maxNote)
	}
}
