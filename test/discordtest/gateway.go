package discordtest

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/gorilla/websocket"
)

// Opcodes: topics/opcodes-and-status-codes#gateway.
const (
	opDispatch       = 0
	opHeartbeat      = 1
	opIdentify       = 2
	opResume         = 6
	opReconnect      = 7
	opInvalidSession = 9
	opHello          = 10
	opHeartbeatAck   = 11
)

// Close codes: topics/opcodes-and-status-codes#gateway-gateway-close-event-codes.
const (
	closeDecode            = 4002
	closeAuthentication    = 4004
	closeDisallowedIntents = 4014
)

// Gateway is the event connection: events/gateway. At most one bot is connected; a
// new connection replaces an old one.
type Gateway struct {
	server   *Server
	sessions map[string]*session // by id; guarded by the server's lock
	current  *session
	count    int
	twice    bool
	shut     bool
}

// packet is a message of the gateway.
type packet struct {
	Op int    `json:"op"`
	D  any    `json:"d"`
	S  *int   `json:"s"`
	T  string `json:"t,omitempty"`
}

// session is what a bot can resume.
type session struct {
	id      string
	intents int
	seq     int
	events  []packet // all that were dispatched, for a resume
	conn    *conn    // nil while nobody is connected
}

// conn writes to one websocket.
type conn struct {
	ws *websocket.Conn
	mu sync.Mutex
}

func (c *conn) send(p packet) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.ws.WriteJSON(p) // a broken connection is noticed by its reader
}

func (c *conn) closeWith(code int, reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.ws.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason))
	_ = c.ws.Close()
}

// accept serves a connection.
func (g *Gateway) accept(w http.ResponseWriter, r *http.Request) {
	g.server.mu.Lock()
	shut := g.shut
	g.server.mu.Unlock()
	if shut {
		http.Error(w, "scripted", http.StatusServiceUnavailable)
		return
	}
	q := r.URL.Query()
	if q.Get("v") != "10" || q.Get("encoding") != "json" || q.Get("compress") != "" {
		http.Error(w, "this gateway has version 10 and plain JSON", http.StatusBadRequest)
		return
	}
	ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = ws.Close() }()
	ws.SetReadLimit(maxGatewayBytes)
	c := &conn{ws: ws}
	c.send(packet{Op: opHello, D: map[string]any{"heartbeat_interval": 41250}})
	for {
		var in struct {
			Op int             `json:"op"`
			D  json.RawMessage `json:"d"`
		}
		if ws.ReadJSON(&in) != nil {
			g.left(c)
			return
		}
		switch in.Op {
		case opHeartbeat:
			c.send(packet{Op: opHeartbeatAck})
		case opIdentify:
			g.identify(c, in.D)
		case opResume:
			g.resume(c, in.D)
		}
	}
}

func (g *Gateway) left(c *conn) {
	g.server.mu.Lock()
	defer g.server.mu.Unlock()
	for _, s := range g.sessions {
		if s.conn == c {
			s.conn = nil
		}
	}
	g.server.notify()
}

func (g *Gateway) identify(c *conn, data json.RawMessage) {
	var d struct {
		Token   string `json:"token"`
		Intents int    `json:"intents"`
	}
	if json.Unmarshal(data, &d) != nil {
		c.closeWith(closeDecode, "Error while decoding payload.")
		return
	}
	s := g.server
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case d.Token != s.Token || s.revoked:
		c.closeWith(closeAuthentication, "Authentication failed.")
		return
	case s.opts.NoContent && d.Intents&intentContent != 0:
		c.closeWith(closeDisallowedIntents, "Disallowed intent(s).")
		return
	}
	g.count++
	g.current = &session{id: "session-" + strconv.Itoa(g.count), intents: d.Intents, conn: c}
	g.sessions[g.current.id] = g.current
	guilds := []any{}
	for _, id := range slices.Sorted(maps.Keys(s.guilds)) {
		guilds = append(guilds, map[string]any{"id": id, "unavailable": true})
	}
	g.dispatch("READY", 0, map[string]any{"v": 10, "user": s.Bot, "guilds": guilds, "session_id": g.current.id,
		"resume_gateway_url": s.gatewayURL(), "application": map[string]any{"id": s.App, "flags": 0}})
	for _, id := range slices.Sorted(maps.Keys(s.guilds)) {
		g.dispatch("GUILD_CREATE", intentGuilds, s.guildObject(s.guilds[id]))
	}
	s.notify()
}

// resume sends what the bot missed: events/gateway#resuming.
func (g *Gateway) resume(c *conn, data json.RawMessage) {
	var d struct {
		Token   string `json:"token"`
		Session string `json:"session_id"`
		Seq     int    `json:"seq"`
	}
	g.server.mu.Lock()
	defer g.server.mu.Unlock()
	s := g.sessions[d.Session]
	if json.Unmarshal(data, &d) == nil {
		s = g.sessions[d.Session]
	}
	switch {
	case d.Token != g.server.Token || g.server.revoked:
		c.closeWith(closeAuthentication, "Authentication failed.")
		return
	case s == nil || d.Seq > s.seq:
		c.send(packet{Op: opInvalidSession, D: false})
		return
	}
	s.conn, g.current = c, s
	for _, p := range s.events {
		if *p.S > d.Seq {
			c.send(p)
		}
	}
	g.dispatch("RESUMED", 0, map[string]any{})
	g.server.notify()
}
