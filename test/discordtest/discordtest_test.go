package discordtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// call makes a request as a bot and returns status and body.
func call(t *testing.T, s *Server, method, path, body string, files ...int) (int, map[string]any) {
	t.Helper()
	var (
		r    io.Reader = strings.NewReader(body)
		kind           = "application/json"
	)
	if len(files) > 0 {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		_ = w.WriteField("payload_json", body)
		for i, size := range files {
			p, _ := w.CreateFormFile(fmt.Sprintf("files[%d]", i), fmt.Sprintf("f%d.txt", i))
			_, _ = p.Write(make([]byte, size))
		}
		_ = w.Close()
		r, kind = &b, w.FormDataContentType()
	}
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, r)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bot "+s.Token)
	if body != "" {
		req.Header.Set("Content-Type", kind)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil
	}
	defer res.Body.Close()
	var o map[string]any
	_ = json.NewDecoder(res.Body).Decode(&o)
	return res.StatusCode, o
}

func TestLimits(t *testing.T) {
	t.Parallel()
	s := New(t, Options{Rate: 1000, Per: time.Second})
	channel := s.AddChannel(s.AddGuild("guild", 0), "general")
	gone := "1"
	for name, c := range map[string]struct {
		body   string
		files  []int
		status int
		code   float64
	}{
		"text":                {`{"content":"hi"}`, nil, 200, 0},
		"2000 characters":     {`{"content":"` + strings.Repeat("ä", 2000) + `"}`, nil, 200, 0},
		"2001 characters":     {`{"content":"` + strings.Repeat("a", 2001) + `"}`, nil, 400, codeInvalidForm},
		"nothing":             {`{}`, nil, 400, codeEmpty},
		"blank":               {`{"content":" \n"}`, nil, 400, codeEmpty},
		"an unknown field":    {`{"content":"hi","colour":1}`, nil, 400, codeInvalidJSON},
		"a file alone":        {`{}`, []int{1}, 200, 0},
		"ten files":           {`{}`, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 200, 0},
		"eleven files":        {`{}`, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 400, codeInvalidForm},
		"an empty file":       {`{}`, []int{0}, 400, codeEmpty},
		"a large file":        {`{}`, []int{10<<20 + 1}, 413, codeTooLarge},
		"a large request":     {`{}`, []int{9 << 20, 9 << 20, 9 << 20}, 413, codeTooLarge},
		"a long nonce":        {`{"content":"hi","nonce":"` + strings.Repeat("n", 26) + `"}`, nil, 400, codeInvalidForm},
		"mentions twice":      {`{"content":"hi","allowed_mentions":{"parse":["users"],"users":["1"]}}`, nil, 400, codeInvalidForm},
		"a reply to nothing":  {`{"content":"hi","message_reference":{"message_id":"` + gone + `"}}`, nil, 400, codeInvalidForm},
		"a reply, if there":   {`{"content":"hi","message_reference":{"message_id":"` + gone + `","fail_if_not_exists":false}}`, nil, 200, 0},
		"a long custom id":    {`{"content":"hi","components":[{"type":1,"components":[{"type":2,"style":1,"label":"x","custom_id":"` + strings.Repeat("c", 101) + `"}]}]}`, nil, 400, codeInvalidForm},
		"an embed":            {`{"embeds":[{"description":"` + strings.Repeat("a", 4096) + `"}]}`, nil, 200, 0},
		"a long embed":        {`{"embeds":[{"description":"` + strings.Repeat("a", 4097) + `"}]}`, nil, 400, codeInvalidForm},
		"long embeds":         {`{"embeds":[` + strings.Repeat(`{"description":"`+strings.Repeat("a", 2001)+`"},`, 2) + `{"description":"` + strings.Repeat("a", 2001) + `"}]}`, nil, 400, codeInvalidForm},
		"many fields":         {`{"embeds":[{"fields":[` + strings.Repeat(`{"name":"a","value":"b"},`, 25) + `{"name":"a","value":"b"}]}]}`, nil, 400, codeInvalidForm},
		"an empty field":      {`{"embeds":[{"fields":[{"name":"a","value":" "}]}]}`, nil, 400, codeInvalidForm},
		"a long field":        {`{"embeds":[{"fields":[{"name":"a","value":"` + strings.Repeat("b", 1025) + `"}]}]}`, nil, 400, codeInvalidForm},
		"an unknown member":   {`{"embeds":[{"description":"a","colour":1}]}`, nil, 400, codeInvalidForm},
		"eleven embeds":       {`{"embeds":[` + strings.Repeat(`{"title":"a"},`, 10) + `{"title":"a"}]}`, nil, 400, codeInvalidForm},
		"six buttons in rows": {`{"content":"hi","components":[{"type":1,"components":[` + strings.Repeat(`{"type":2},`, 5) + `{"type":2}]}]}`, nil, 400, codeInvalidForm},
	} {
		status, got := call(t, s, "POST", "/channels/"+channel+"/messages", c.body, c.files...)
		code, _ := got["code"].(float64)
		if status != c.status || code != c.code {
			t.Errorf("%s: got %d %v", name, status, got)
		}
	}
	s.Embeds(channel, EmbedsLeftOut)
	if status, got := call(t, s, "POST", "/channels/"+channel+"/messages", `{"content":"hi","embeds":[{"title":"a"}]}`); status != 200 || len(got["embeds"].([]any)) != 0 {
		t.Errorf("an embed without permission: %d %v", status, got)
	}
	s.Forbid(channel, true)
	if status, got := call(t, s, "POST", "/channels/"+channel+"/messages", `{"content":"hi"}`); status != 403 || got["code"] != float64(codePermission) {
		t.Errorf("forbidden: %d %v", status, got)
	}
	s.Revoke()
	if status, _ := call(t, s, "GET", "/users/@me", ""); status != 401 {
		t.Errorf("revoked: %d", status)
	}
}

func TestEditsKeepWhatIsListed(t *testing.T) {
	t.Parallel()
	s := New(t, Options{Rate: 1000, Per: time.Second})
	channel := s.AddChannel(s.AddGuild("guild", 0), "general")
	_, m := call(t, s, "POST", "/channels/"+channel+"/messages", `{"content":"hi"}`, 1, 1)
	path := "/channels/" + channel + "/messages/" + m["id"].(string)
	first := m["attachments"].([]any)[0].(map[string]any)["id"].(string)
	files := func(body string) int {
		status, m := call(t, s, "PATCH", path, body)
		if status != 200 {
			return -status
		}
		return len(m["attachments"].([]any))
	}
	for _, c := range []struct {
		body string
		want int
	}{
		{`{"content":"x"}`, 2}, {`{"attachments":[{"id":"` + first + `"}]}`, 1}, {`{"content":""}`, 1},
		{`{"attachments":[]}`, -400}, {`{"content":"x","attachments":[]}`, 0}, {`{"content":"x","nonce":"1"}`, -400},
	} {
		if got := files(c.body); got != c.want {
			t.Errorf("%s: got %d, want %d", c.body, got, c.want)
		}
	}
}

func TestNonces(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := New(t, Options{Rate: 1000, Per: time.Second, Now: func() time.Time { return now }})
	channel := s.AddChannel(s.AddGuild("guild", 0), "general")
	send := func() any {
		_, m := call(t, s, "POST", "/channels/"+channel+"/messages", `{"content":"hi","nonce":"n","enforce_nonce":true}`)
		return m["id"]
	}
	first := send()
	if send() != first || len(s.Own(channel)) != 1 {
		t.Error("a nonce makes one message")
	}
	now = now.Add(4 * time.Minute)
	if send() == first || len(s.Own(channel)) != 2 {
		t.Error("a nonce is forgotten")
	}
}

func TestRates(t *testing.T) {
	t.Parallel()
	s := New(t, Options{Rate: 2, Per: time.Hour})
	channel := s.AddChannel(s.AddGuild("guild", 0), "general")
	other := s.AddChannel(s.AddGuild("guild", 0), "other")
	var got []int
	for _, path := range []string{channel, channel, channel, other} {
		status, _ := call(t, s, "POST", "/channels/"+path+"/messages", `{"content":"hi"}`)
		got = append(got, status)
	}
	if fmt.Sprint(got) != "[200 200 429 200]" {
		t.Errorf("got %v", got)
	}
	s.Script(Rule{Path: "/users", Status: 500})
	s.Script(Rule{Path: "/users", Cut: true})
	got = nil
	for range 3 {
		status, _ := call(t, s, "GET", "/users/@me", "")
		got = append(got, status)
	}
	// The client of Go repeats a GET whose connection breaks.
	if got[0] != 500 || got[len(got)-1] == 500 {
		t.Errorf("scripted: %v", got)
	}
}

// A dropped connection is resumed, with what happened meanwhile; a forgotten session
// is not.
func TestGateway(t *testing.T) {
	t.Parallel()
	s := New(t, Options{})
	channel := s.AddChannel(s.AddGuild("guild", 0), "general")
	ada := s.Person("ada")
	dial := func(first string) *websocket.Conn {
		ws, res, err := websocket.DefaultDialer.DialContext(t.Context(), s.gatewayURL()+"?v=10&encoding=json", nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if err := ws.WriteMessage(websocket.TextMessage, []byte(first)); err != nil {
			t.Fatal(err)
		}
		return ws
	}
	next := func(ws *websocket.Conn, want string) packet {
		for {
			var p packet
			if err := ws.ReadJSON(&p); err != nil {
				t.Fatalf("waiting for %s: %v", want, err)
			}
			if p.T == want || p.Op == opInvalidSession && want == "" {
				return p
			}
		}
	}
	intents := intentGuilds | intentMessages
	ws := dial(fmt.Sprintf(`{"op":2,"d":{"token":%q,"intents":%d}}`, s.Token, intents))
	next(ws, "GUILD_CREATE")
	s.Say(channel, ada, "secret")
	p := next(ws, "MESSAGE_CREATE")
	if text := p.D.(map[string]any)["content"]; text != "" {
		t.Errorf("without the intent the content is %q", text)
	}
	s.Gateway.Drop()
	s.Wait(t, "the end of the connection", func() bool { return !s.Gateway.Connected() })
	s.Say(channel, ada, s.Mention()+" missed")
	resume := fmt.Sprintf(`{"op":6,"d":{"token":%q,"session_id":"session-1","seq":%d}}`, s.Token, *p.S)
	ws = dial(resume)
	if text := next(ws, "MESSAGE_CREATE").D.(map[string]any)["content"]; text != s.Mention()+" missed" {
		t.Errorf("resumed with %q", text)
	}
	s.Gateway.Forget()
	next(dial(resume), "")
	s.Revoke()
	ws = dial(fmt.Sprintf(`{"op":2,"d":{"token":%q,"intents":1}}`, s.Token))
	for {
		if _, _, err := ws.ReadMessage(); err != nil {
			if !websocket.IsCloseError(err, closeAuthentication) {
				t.Errorf("a revoked token: %v", err)
			}
			return
		}
	}
}

// The CDN serves files as it is asked to.
func TestFiles(t *testing.T) {
	t.Parallel()
	s := New(t, Options{})
	channel := s.AddChannel(s.AddGuild("guild", 0), "general")
	m := s.Say(channel, s.Person("ada"), "see", s.With("a b.txt", "text/plain", []byte("0123456789")))
	a := m.Attachments[0]
	get := func(u string) (int, string, error) {
		res, err := http.Get(u)
		if err != nil {
			return 0, "", err
		}
		defer res.Body.Close()
		data, err := io.ReadAll(res.Body)
		return res.StatusCode, string(data), err
	}
	if status, data, err := get(a.URL); status != 200 || data != "0123456789" || err != nil {
		t.Errorf("got %d %q %v", status, data, err)
	}
	if status, _, _ := get(strings.Split(a.URL, "?")[0]); status != 404 {
		t.Errorf("without a signature: %d", status)
	}
	s.Deliver(a, Delivery{Cut: 4})
	if _, data, err := get(a.URL); data != "0123" || err == nil {
		t.Errorf("cut: %q %v", data, err)
	}
	s.Deliver(a, Delivery{Status: 404})
	if status, _, _ := get(a.URL); status != 404 {
		t.Errorf("expired: %d", status)
	}
}
