// Package discordtest is a Discord for tests: gateway, REST API and CDN over real
// sockets of this machine, as strict as the service where belay meets its limits.
//
// [New] starts one. Tests arrange a world ([Server.AddGuild], [Server.AddChannel]),
// speak as people in it ([Server.Say], [Server.Press], [Server.Command]), and look at
// what the bot did ([Server.Messages], [Server.Calls]). [Server.Script] makes requests
// fail, [Server.Gateway] has what a connection may suffer.
//
// Each limit is a constant in limits.go, with the section of Discord's documentation
// that it comes from. A body with a field that the documentation does not have is
// refused, so a typing error fails a test.
package discordtest

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Options change how strict the server is. The zero value is as Discord.
type Options struct {
	// Rate is how many requests each bucket allows in Per; zero means 5 in 5 s.
	Rate int
	Per  time.Duration
	// NonceWindow is how long a nonce is remembered; zero means 3 minutes.
	NonceWindow time.Duration
	// Now is the clock of nonces and ids; nil is the real one.
	Now func() time.Time
	// NoContent refuses connections that ask for the content of messages, as
	// Discord does where the switch in its developer portal is off.
	NoContent bool
}

// Server is a running Discord. All methods are safe for concurrent use.
type Server struct {
	// URL is the base of the REST API, CDN that of files.
	URL, CDN string
	// Token is the bot's, App its application id, Bot its user.
	Token string
	App   string
	Bot   User
	// Gateway is the connection that bots hold open.
	Gateway *Gateway

	opts Options
	http *httptest.Server

	mu           sync.Mutex
	changed      chan struct{} // closed and replaced at each change
	lastID       uint64
	guilds       map[string]*Guild
	channels     map[string]*Channel
	people       map[string]User
	files        map[string]*stored // by path of the CDN
	nonces       map[string]nonce
	interactions map[string]*Interaction // by token
	commands     []map[string]any
	calls        []Call
	rules        []*Rule
	buckets      map[string]*bucket
	revoked      bool
	unread       bool
	watch        func(*http.Request)
}

// New starts a server, which ends with the test.
func New(t testing.TB, opts Options) *Server {
	t.Helper()
	if opts.Rate == 0 {
		opts.Rate, opts.Per = 5, 5*time.Second
	}
	if opts.NonceWindow == 0 {
		opts.NonceWindow = 3 * time.Minute
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	s := &Server{
		opts: opts, changed: make(chan struct{}), guilds: map[string]*Guild{}, channels: map[string]*Channel{}, people: map[string]User{},
		files: map[string]*stored{}, nonces: map[string]nonce{}, interactions: map[string]*Interaction{}, buckets: map[string]*bucket{},
	}
	s.App = s.newID()
	s.Bot = User{ID: s.App, Username: "belay", Bot: true}
	s.Token = base64.RawStdEncoding.EncodeToString([]byte(s.App)) + ".test.token"
	s.Gateway = &Gateway{server: s, sessions: map[string]*session{}}
	mux := http.NewServeMux()
	s.routes(mux)
	mux.HandleFunc("GET /gateway/", s.Gateway.accept)
	mux.HandleFunc("GET /attachments/{channel}/{id}/{name}", s.serveFile)
	s.http = httptest.NewServer(mux)
	s.URL, s.CDN = s.http.URL+"/api/v10", s.http.URL
	t.Cleanup(s.close)
	return s
}

func (s *Server) close() {
	s.Gateway.close()
	s.http.CloseClientConnections()
	s.http.Close()
}

// gatewayURL is where bots connect.
func (s *Server) gatewayURL() string {
	return "ws" + strings.TrimPrefix(s.http.URL, "http") + "/gateway/"
}

// newID returns the next id: a time and a counter, as Discord's are
// (https://discord.com/developers/docs/reference#snowflakes). The lock is not needed
// before the server runs.
func (s *Server) newID() string {
	const epoch = 1420070400000
	id := uint64(s.opts.Now().UnixMilli()-epoch) << 22
	s.lastID = max(id, s.lastID+1)
	return strconv.FormatUint(s.lastID, 10)
}

// notify wakes those who wait. The caller holds the lock.
func (s *Server) notify() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Wait returns when done does, which is asked after each change of the server, and
// fails the test after half a minute. Done may call methods of the server.
func (s *Server) Wait(t testing.TB, what string, done func() bool) {
	t.Helper()
	deadline := time.After(5 * time.Minute)
	for {
		s.mu.Lock()
		changed := s.changed
		s.mu.Unlock()
		if done() {
			return
		}
		select {
		case <-changed:
		case <-deadline:
			t.Fatalf("%s did not happen; calls:\n%s", what, s.history())
		}
	}
}

// Revoke makes the token invalid, for requests and for new connections.
func (s *Server) Revoke() {
	s.mu.Lock()
	s.revoked = true
	s.mu.Unlock()
}

// Call is a request that the bot made.
type Call struct {
	Method, Path string
	Status       int
	// Body is the JSON, also of a multipart body.
	Body string
	// Files are the sizes of uploaded files.
	Files []int64
	Time  time.Time
}

// Calls are the requests so far whose method and path contain these texts.
func (s *Server) Calls(method, path string) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []Call
	for _, c := range s.calls {
		if strings.Contains(c.Method, method) && strings.Contains(c.Path, path) {
			found = append(found, c)
		}
	}
	return found
}

func (s *Server) history() string {
	var b strings.Builder
	for _, c := range s.Calls("", "") {
		b.WriteString(c.Method + " " + c.Path + " " + strconv.Itoa(c.Status) + " " + c.Body + "\n")
	}
	return b.String()
}
