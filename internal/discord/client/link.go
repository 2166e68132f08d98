package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/disgoorg/disgo/gateway"
	"github.com/gorilla/websocket"
)

// Bounds of a connection to the gateway.
const (
	dialTimeout  = 30 * time.Second
	writeTimeout = 10 * time.Second
	// maxPacket caps an event: a server with 10,000 channels has some megabytes.
	maxPacket = 32 << 20
	// minHeartbeat and maxHeartbeat bound what a server may ask for.
	minHeartbeat = time.Second
	maxHeartbeat = 5 * time.Minute
)

// link is the session with the gateway, which outlives its connections:
// https://discord.com/developers/docs/events/gateway.
type link struct {
	token, url string
	handle     func(Event)

	// session, resumeURL and seq are for a resume; session is "" without one.
	session, resumeURL string
	seq                atomic.Int64
}

// packet is what both sides send.
type packet struct {
	Op gateway.Opcode    `json:"op"`
	D  json.RawMessage   `json:"d"`
	S  int               `json:"s,omitempty"`
	T  gateway.EventType `json:"t,omitempty"`
}

// wire is one connection. Writes are one at a time.
type wire struct {
	ws *websocket.Conn
	mu sync.Mutex
	// acked is false from a heartbeat to its acknowledgement.
	acked atomic.Bool
}

func (w *wire) send(op gateway.Opcode, d any) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_ = w.ws.SetWriteDeadline(time.Now().Add(writeTimeout))
	return w.ws.WriteJSON(struct {
		Op gateway.Opcode `json:"op"`
		D  any            `json:"d"`
	}{op, d})
}

// leave says goodbye, which ends the session, and closes the connection.
func (w *wire) leave() {
	_ = w.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(time.Second))
	_ = w.ws.Close()
}

// listen makes one connection and handles its events until it ends. Began reports
// whether the session was begun or resumed.
func (l *link) listen(ctx context.Context) (began bool, err error) {
	at, err := l.address()
	if err != nil {
		return false, err
	}
	dial, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	ws, res, err := websocket.DefaultDialer.DialContext(dial, at, nil)
	if res != nil {
		_ = res.Body.Close()
	}
	if err != nil {
		l.resumeURL = ""
		return false, err
	}
	w := &wire{ws: ws}
	w.acked.Store(true)
	ws.SetReadLimit(maxPacket)
	defer func() { _ = ws.Close() }()
	defer context.AfterFunc(ctx, w.leave)()
	var beating sync.WaitGroup
	defer beating.Wait()
	life, end := context.WithCancel(ctx)
	defer end()
	_ = ws.SetReadDeadline(time.Now().Add(dialTimeout))
	for {
		var p packet
		if err := ws.ReadJSON(&p); err != nil {
			return began, l.lost(err)
		}
		switch p.Op {
		case gateway.OpcodeHello:
			every, err := l.hello(w, p.D)
			if err != nil {
				return began, err
			}
			_ = ws.SetReadDeadline(time.Time{}) // missing acknowledgements end it from here on
			beating.Go(func() { l.beat(life, w, every) })
		case gateway.OpcodeHeartbeatACK:
			w.acked.Store(true)
		case gateway.OpcodeHeartbeat:
			if err := w.send(gateway.OpcodeHeartbeat, l.position()); err != nil {
				return began, err
			}
		case gateway.OpcodeReconnect:
			return began, errors.New("the server asked for it")
		case gateway.OpcodeInvalidSession:
			if string(p.D) != "true" {
				l.forget()
			}
			return false, errors.New("the session is not valid")
		case gateway.OpcodeDispatch:
			began = l.dispatch(p) || began
		}
	}
}

// address is where to connect: where a session is resumed, the server's own choice.
func (l *link) address() (string, error) {
	at := l.url
	if l.session != "" && l.resumeURL != "" {
		at = l.resumeURL
	}
	u, err := url.Parse(at)
	if err != nil || u.Host == "" || !strings.HasPrefix(u.Scheme, "ws") {
		return "", &Error{Kind: Refused, Call: "gateway", Reason: "the server names no address of a gateway"}
	}
	u.Path = cmp.Or(u.Path, "/")
	u.RawQuery = url.Values{"v": {"10"}, "encoding": {"json"}}.Encode()
	return u.String(), nil
}

// hello answers the first packet: it resumes, or begins a session. It returns the
// time between heartbeats.
func (l *link) hello(w *wire, d json.RawMessage) (time.Duration, error) {
	var h gateway.MessageDataHello
	if err := json.Unmarshal(d, &h); err != nil {
		return 0, fmt.Errorf("hello: %w", err)
	}
	every := min(max(time.Duration(h.HeartbeatInterval)*time.Millisecond, minHeartbeat), maxHeartbeat)
	if l.session != "" {
		return every, w.send(gateway.OpcodeResume, gateway.MessageDataResume{Token: l.token, SessionID: l.session, Seq: int(l.seq.Load())})
	}
	return every, w.send(gateway.OpcodeIdentify, gateway.MessageDataIdentify{
		Token: l.token, Intents: intents, LargeThreshold: 50,
		Properties: gateway.IdentifyCommandDataProperties{OS: runtime.GOOS, Browser: "belay", Device: "belay"},
	})
}

// beat sends heartbeats until ctx is done. Where one is not acknowledged before the
// next, the connection is dead and is closed. The first comes after a part of the
// time, so that not all bots beat at once.
func (l *link) beat(ctx context.Context, w *wire, every time.Duration) {
	for wait := rand.N(every); ; wait = every {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if !w.acked.Swap(false) || w.send(gateway.OpcodeHeartbeat, l.position()) != nil {
			_ = w.ws.Close()
			return
		}
	}
}

// position is the number of the last event, null before the first.
func (l *link) position() any {
	if n := l.seq.Load(); n > 0 {
		return n
	}
	return nil
}

func (l *link) forget() {
	l.session, l.resumeURL = "", ""
	l.seq.Store(0)
}

// dispatch handles an event, and reports whether it begins or resumes the session.
// An event that cannot be read is left out: belay knows what it uses.
func (l *link) dispatch(p packet) (began bool) {
	if p.S > 0 {
		l.seq.Store(int64(p.S))
	}
	data, err := gateway.UnmarshalEventData(p.D, p.T)
	if err != nil {
		return false
	}
	switch e := data.(type) {
	case gateway.EventReady:
		l.session, l.resumeURL, began = e.SessionID, e.ResumeGatewayURL, true
	case gateway.EventResumed:
		began = true
	}
	if e, ok := eventOf(data); ok {
		l.handle(e)
	}
	return began
}

// lost looks at how a connection ended: some codes say that the session is over
// (https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway).
func (l *link) lost(err error) error {
	if closed, ok := errors.AsType[*websocket.CloseError](err); ok {
		switch closed.Code {
		case websocket.CloseNormalClosure, websocket.CloseGoingAway, gateway.CloseEventCodeInvalidSeq.Code, gateway.CloseEventCodeSessionTimed.Code:
			l.forget()
		}
	}
	return err
}
