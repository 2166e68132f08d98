package record

import (
	"encoding/json"
	"slices"

	"belay/internal/discord/message"
	"belay/internal/discord/output"
)

// Bounds of what is remembered of a channel.
const (
	keptSessions  = 50
	keptQuestions = 200
)

// newSession is the line that /new writes: there is no session any more.
const newSession = "-"

// state is what the lines of a channel say together.
type state struct {
	messages map[string]message.Message
	order    []string // of the messages, the oldest first
	handled  map[string]bool
	wanting  []string
	// meant are those of wanting that are for the bot themselves, also where they were deleted
	// since the last request.
	meant []string
	last  string
	// missing is the message after which others may have been missed, "" for none.
	missing string
	// since is the id after which no message may be lost, also where none was seen.
	since    string
	requests []*Request
	question []string // ids, the oldest first
	// questions by id
	questions map[string]Question
	session   string
	project   string // of the session, "" where that is not known
	sessions  []string
	persona   string
}

func newState() *state {
	return &state{messages: map[string]message.Message{}, handled: map[string]bool{}, questions: map[string]Question{}}
}

// apply takes a line into account.
func (s *state) apply(l line) {
	switch {
	case l.Message != nil:
		s.see(*l.Message, l.Wants, l.Meant)
	case l.Accepted != nil:
		if s.find(l.Accepted.ID) == nil {
			r := *l.Accepted
			s.requests = append(s.requests, &r)
		}
		for _, id := range l.Accepted.Messages {
			s.handled[id] = true
		}
		s.wanting = slices.DeleteFunc(s.wanting, func(id string) bool { return slices.Contains(l.Accepted.Messages, id) })
		s.meant = slices.DeleteFunc(s.meant, func(id string) bool { return !slices.Contains(s.wanting, id) })
	case l.Sent != nil:
		if r := s.find(l.Sent.Request); r != nil {
			r.Sent = slices.DeleteFunc(r.Sent, func(m output.Message) bool { return m.Key == l.Sent.Key })
			r.Sent = append(r.Sent, l.Sent.Message)
		}
	case l.Anchored != nil:
		if r := s.find(l.Anchored.Request); r != nil {
			r.Anchors = append(r.Anchors, l.Anchored.Anchor)
		}
	case l.Finished != "":
		s.requests = slices.DeleteFunc(s.requests, func(r *Request) bool { return r.ID == l.Finished })
	case l.Question != nil:
		s.ask(*l.Question)
	case l.Session == newSession:
		s.session, s.project = "", ""
	case l.Session != "":
		s.session, s.project = l.Session, l.Project
		s.sessions = append(slices.DeleteFunc(s.sessions, func(id string) bool { return id == l.Session }), l.Session)
		s.sessions = s.sessions[max(0, len(s.sessions)-keptSessions):]
	case l.Persona != nil:
		s.persona = *l.Persona
	case l.Missing != nil:
		s.missing = *l.Missing
	case l.Since != "":
		s.since = l.Since
	}
}

func (s *state) see(m message.Message, wants, meant bool) {
	if _, known := s.messages[m.ID]; !known {
		s.order = append(s.order, m.ID)
	}
	s.messages[m.ID] = m
	if message.Before(s.last, m.ID) {
		s.last = m.ID
	}
	if wants && !s.handled[m.ID] {
		s.handled[m.ID] = true
		s.wanting = append(s.wanting, m.ID)
		if meant {
			s.meant = append(s.meant, m.ID)
		}
	}
	if m.Deleted {
		s.wanting = slices.DeleteFunc(s.wanting, func(id string) bool { return id == m.ID }) // nobody answers it
	}
	for len(s.order) > keptMessages && !slices.Contains(s.wanting, s.order[0]) {
		delete(s.messages, s.order[0])
		delete(s.handled, s.order[0])
		s.order = s.order[1:]
	}
}

func (s *state) ask(q Question) {
	if _, known := s.questions[q.ID]; !known {
		s.question = append(s.question, q.ID)
	}
	s.questions[q.ID] = q
	for len(s.question) > keptQuestions {
		delete(s.questions, s.question[0])
		s.question = s.question[1:]
	}
}

func (s *state) find(request string) *Request {
	for _, r := range s.requests {
		if r.ID == request {
			return r
		}
	}
	return nil
}

// lines are the file of the state. A request that is closed is one whose messages are
// handled: an accepted line with its end says so.
func (s *state) lines() ([]byte, error) {
	var all []line
	for _, id := range s.sessions {
		l := line{Session: id}
		if id == s.session {
			l.Project = s.project
		}
		all = append(all, l)
	}
	if s.session == "" {
		all = append(all, line{Session: newSession})
	}
	if s.persona != "" {
		all = append(all, line{Persona: &s.persona})
	}
	if s.since != "" {
		all = append(all, line{Since: s.since})
	}
	if s.missing != "" {
		all = append(all, line{Missing: &s.missing})
	}
	var done []string
	for _, id := range s.order {
		m := s.messages[id]
		all = append(all, line{Message: &m, Wants: slices.Contains(s.wanting, id), Meant: slices.Contains(s.meant, id)})
		if s.handled[id] && !slices.Contains(s.wanting, id) {
			done = append(done, id)
		}
	}
	const past = "past"
	all = append(all, line{Accepted: &Request{ID: past, Messages: done}}, line{Finished: past})
	for _, r := range s.requests {
		all = append(all, line{Accepted: r})
		for _, m := range r.Sent {
			all = append(all, line{Sent: &sent{r.ID, m}})
		}
		for _, a := range r.Anchors {
			all = append(all, line{Anchored: &anchored{r.ID, a}})
		}
	}
	for _, id := range s.question {
		q := s.questions[id]
		all = append(all, line{Question: &q})
	}
	var data []byte
	for _, l := range all {
		l.V = version
		b, err := json.Marshal(l)
		if err != nil {
			return nil, err
		}
		data = append(append(data, b...), '\n')
	}
	return data, nil
}

// Forget ends the channel's session: the next request makes a new one.
func (c *Channel) Forget() error { return c.add(true, line{Session: newSession}) }
