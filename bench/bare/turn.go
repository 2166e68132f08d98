package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// event is one recorded event.
type event struct {
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

type server struct {
	dir      string
	turn     []event
	pace     time.Duration
	upstream string

	mu       sync.Mutex
	sessions map[string]*session
}

// session is an open log and the sequence of its last event.
type session struct {
	log *os.File
	seq int64
	b   bytes.Buffer
}

func (s *server) create(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := fmt.Sprintf("bare-%d", len(s.sessions)+1)
	f, err := os.Create(filepath.Join(s.dir, id+".jsonl"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	s.sessions[id] = &session{log: f}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"session":{"sessionId":%q}}`, id) // a client that left needs no answer
}

// serveTurn trusts its client to run one turn per session at a time.
func (s *server) serveTurn(w http.ResponseWriter, r *http.Request) {
	var body struct {
		SessionID   string   `json:"sessionId"`
		Message     string   `json:"message"`
		Attachments []string `json:"attachments"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	sess := s.sessions[body.SessionID]
	s.mu.Unlock()
	if sess == nil {
		http.Error(w, "unknown session", http.StatusNotFound)
		return
	}
	if err := s.attach(r, body.Attachments); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	flusher := http.NewResponseController(w)
	turnID := strconv.FormatInt(time.Now().UnixNano(), 36) + "-0123456789abcdef01234567" // as long as one of belay's
	for i, e := range s.turn {
		if err := sess.append(turnID, e); err != nil {
			panic(http.ErrAbortHandler)
		}
		if i == len(s.turn)-1 {
			if err := sess.log.Sync(); err != nil {
				panic(http.ErrAbortHandler)
			}
		}
		sess.b.Reset()
		fmt.Fprintf(&sess.b, "id: %d\nevent: %s\ndata: %s\n\n", sess.seq, e.Type, e.Data)
		if _, err := w.Write(sess.b.Bytes()); err != nil {
			return
		}
		if flusher.Flush() != nil {
			return
		}
		if s.pace > 0 && e.Type == "chat:delta" {
			time.Sleep(s.pace)
		}
	}
}

// append writes the event's line to the log.
func (s *session) append(turnID string, e event) error {
	s.seq++
	s.b.Reset()
	fmt.Fprintf(&s.b, `{"seq":%d,"turn":%q,"time":%q,"type":%q,"data":%s}`+"\n",
		s.seq, turnID, time.Now().UTC().Format(time.RFC3339Nano), e.Type, e.Data)
	_, err := s.log.Write(s.b.Bytes())
	return err
}
