package browser

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"belay/internal/api"
	"belay/internal/api/apitest"
	"belay/internal/fault"
	"belay/internal/overview"
	"belay/internal/turn"
)

// A session of thousands of turns is drawn in parts: only those near the screen are there,
// and scrolling brings the others, both ways.
func TestLongSession(t *testing.T) {
	engine := &apitest.Engine{}
	b := open(t, engine, options())
	const turns = 2500 // and so 5,000 messages
	for i := range turns {
		if _, err := engine.Start(t.Context(), turn.Request{SessionID: "s1", Message: fmt.Sprintf("message %d of many", i+1)}); err != nil {
			t.Fatal(err)
		}
		engine.Wait()
	}
	b.visit("s/s1")
	b.until("[...document.querySelectorAll('.words')].at(-1)?.innerText === 'message 2500 of many'")
	if n := value[int](b, "document.querySelectorAll('.turn').length"); n > 200 {
		t.Errorf("%d turns are drawn at the end", n)
	}
	seen := `[...document.querySelectorAll(".words")].filter(w => { const r = w.getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight; }).map(w => w.innerText)`
	b.until(seen + ".includes('message 2500 of many')")
	value[bool](b, "(document.querySelector('#log').scrollTop = 0, true)")
	b.until(seen + ".includes('message 1 of many')")
	b.do(press("Escape"))
	// Scrolling costs little more than where as many paragraphs lie in a bare element.
	value[bool](b, `(() => {
		const bare = document.body.appendChild(document.createElement("div"));
		bare.style.cssText = "position: fixed; inset: 0; overflow: auto; background: white; z-index: 9";
		for (let i = 0; i < 5000; i++) bare.appendChild(document.createElement("p")).textContent = "message " + i + " of many";
		const median = (of) => new Promise((done) => {
			let last = performance.now();
			const frames = [], step = (now) => {
				frames.push(now - last); last = now; of.scrollTop += 400;
				if (frames.length < 120) requestAnimationFrame(step); else done(frames.slice(1).sort((a, b) => a - b)[60]);
			};
			requestAnimationFrame(step);
		});
		median(bare).then((ms) => { window.bare = ms; bare.remove(); return median(document.querySelector("#log")); }).then((ms) => { window.scrolled = ms; });
		return true; })()`)
	b.until("window.scrolled")
	if ours, bare := value[float64](b, "window.scrolled"), value[float64](b, "window.bare"); ours > max(50, 10*bare) {
		t.Errorf("half of the frames took longer than %.0f ms, and %.0f ms in a bare element", ours, bare)
	}
	b.do(chromedp.Click(chromedp.CSS("#to-end")))
	b.until(seen + ".includes('message 2500 of many')")
}

// many is an overview of thousands of sessions.
type many struct{ api.Overview }

const allSessions = 5000

func (many) Sessions(_ context.Context, q overview.Query) (overview.Page, error) {
	if q.State != "" && q.State != "idle" {
		return overview.Page{}, nil
	}
	if q.Text != "" {
		n, _ := strconv.Atoi(strings.TrimPrefix(q.Text, "number"))
		return overview.Page{Sessions: []overview.Session{row(n)}, Total: 1}, nil
	}
	from, _ := strconv.Atoi(q.Cursor)
	p := overview.Page{Total: allSessions}
	for i := from; i < min(from+q.Limit, allSessions); i++ {
		p.Sessions = append(p.Sessions, row(i))
	}
	if next := from + len(p.Sessions); next < allSessions {
		p.NextCursor = strconv.Itoa(next)
	}
	return p, nil
}

func row(i int) overview.Session {
	return overview.Session{
		SessionID: fmt.Sprintf("s%d", i), ProjectRoot: "/project", Persona: "WORKING_ITEMS",
		Title: fmt.Sprintf("Session number%d %s", i, strings.Repeat("averylongname", 10)), State: "idle", ProjectName: "project",
	}
}

func (many) Projects(context.Context) ([]overview.Project, error) { return nil, nil }

func (many) Subscribe(context.Context, string) (*overview.Subscription, error) {
	return nil, fault.New(fault.NotFound, "nothing changes here")
}

// Thousands of sessions are listed page by page as somebody scrolls, and only those near
// the screen are drawn. The search looks at all of them.
func TestManySessions(t *testing.T) {
	o := options()
	o.Overview = many{}
	b := open(t, &apitest.Engine{}, o)
	b.visit("?root=" + url.QueryEscape(t.TempDir()))
	b.until("document.querySelector('#total')?.innerText === '5,000' && document.querySelectorAll('#sessions .row').length >= 50")
	b.shot("many-sessions")
	value[bool](b, `(() => { const pane = document.querySelector(".pane"); window.done = false;
		const step = () => { pane.scrollTop = pane.scrollHeight; if (document.querySelector("[data-session=s4999]")) window.done = true; else setTimeout(step, 10); }; step(); return true; })()`)
	b.until("window.done")
	if n := value[int](b, "document.querySelectorAll('#sessions .row').length"); n > 400 {
		t.Errorf("%d sessions are drawn", n)
	}
	b.do(press("Escape", "/"), chromedp.KeyEvent("number4321"))
	b.until("document.querySelectorAll('#sessions .row').length === 1 && document.querySelector('[data-session=s4321]')")
	if wide := value[int](b, "document.querySelector('.pane').scrollWidth - document.querySelector('.pane').clientWidth"); wide > 0 {
		t.Errorf("a long name makes the list %d pixels wider", wide)
	}
}

// A message that is too long for a message becomes a file: one that is pasted at once, one
// that was typed when a person says so.
func TestLongMessage(t *testing.T) {
	engine := &apitest.Engine{}
	b := signedIn(t, engine)
	value[bool](b, `(() => { const data = new DataTransfer(); data.setData("text/plain", "x".repeat(20 << 20));
		document.querySelector("#message").dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })); return true; })()`)
	b.until("document.querySelector('#files li.ready')?.innerText.includes('message.txt') && document.querySelector('#message').value === ''")
	if got := len(apitest.Uploads(engine)[0].Data); got != 20<<20 {
		t.Errorf("%d bytes were uploaded", got)
	}
	value[bool](b, `(() => { const m = document.querySelector("#message"); Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set.call(m, "y".repeat((1 << 20) + 1));
		m.dispatchEvent(new Event("input", { bubbles: true })); return true; })()`)
	b.until("document.querySelector('#too-long') && document.querySelector('#send').disabled")
	b.shot("too-long")
	b.tabTo("#too-long button")
	b.do(press("Enter"))
	b.until("!document.querySelector('#too-long') && document.querySelectorAll('#files li.ready').length === 2 && !document.querySelector('#send').disabled")
}

// Where the browser's storage is full the page says that drafts are not kept, and works on.
func TestFullStorage(t *testing.T) {
	b := signedIn(t, &apitest.Engine{})
	value[bool](b, `(() => { let s = "x".repeat(1 << 20); try { for (let i = 0; ; i++) localStorage.setItem("filler" + i, s); } catch {}
		for (let k = 1 << 19; k > 0; k >>= 1) try { localStorage.setItem("rest" + k, "x".repeat(k)); } catch {} return true; })()`)
	b.do(fill(message, "a thought that has no room in this browser's storage, which is full to the brim"))
	b.until("document.querySelector('#not-kept')")
	b.do(press("Enter"))
	b.until("document.querySelector('.foot')?.innerText.includes('done')")
	value[bool](b, "localStorage.clear() === undefined")
	b.do(fill(message, "there is room again"))
	b.until("!document.querySelector('#not-kept')")
}

// Two tabs on one session show the same, and a session that is deleted elsewhere says so and
// keeps the draft.
func TestTwoTabsAndDeleted(t *testing.T) {
	engine := &apitest.Engine{}
	b := signedIn(t, engine)
	other := b.another()
	other.do(chromedp.Navigate(b.srv.URL + "/s/s1"))
	other.do(chromedp.WaitEnabled(message))
	b.do(fill(message, "HOLD from the first"), press("Enter"))
	other.until("document.querySelector('.words')?.innerText === 'HOLD from the first' && document.querySelector('#interrupt')")
	other.do(fill(message, "from the second"), press("Enter"))
	b.until("document.querySelector('.said.into')?.innerText.includes('from the second')")
	engine.Release("s1")
	for _, one := range []*tab{b, other} {
		one.until("document.querySelector('.foot')?.innerText.includes('done') && document.querySelectorAll('.turn').length === 1")
	}
	b.do(fill(message, "precious"))
	if err := engine.Delete(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	b.do(press("Enter"))
	b.until("document.querySelector('.dock .notice')?.innerText.includes('No such session')")
	if got := value[string](b, "document.querySelector('#message, #unsent')?.value"); got != "precious" {
		t.Errorf("the draft is %q", got)
	}
}

// What was written for a session that is deleted elsewhere can still be read.
func TestDraftOfADeletedSession(t *testing.T) {
	b, _ := real(t)
	b.do(fill(message, "One"), press("Enter"))
	b.until("document.querySelector('.foot')?.innerText.includes('done')")
	b.do(fill(message, "precious"))
	b.mayFail()
	value[bool](b, "fetch('/api/harness/session/' + location.pathname.split('/').pop(), { method: 'DELETE' }) !== undefined")
	b.until("document.querySelector('#unsent')?.value === 'precious' && document.querySelector('#unsent').offsetParent && !document.querySelector('#retry')")
}

// A tab that is older than its server offers to load the page anew, and the draft is kept.
func TestNewerServer(t *testing.T) {
	b := signedIn(t, &apitest.Engine{})
	b.do(fill(message, "half a thought"))
	// What the page asks for when a part of it is gone; the answer names another script.
	value[bool](b, `(() => { const own = fetch; window.fetch = async (path, init) => { const res = await own(path, init);
		return path === "/" ? new Response((await res.text()).replace(/index-[\w-]+\.js/, "index-Newer1.js")) : res; };
		dispatchEvent(new Event("vite:preloadError")); return true; })()`)
	b.until("document.querySelector('#update')")
	b.shot("newer")
	b.tabTo("#update button")
	b.do(press("Enter"))
	b.until("!document.querySelector('#update') && document.querySelector('#message')?.value === 'half a thought'")
}

// A server that stops and starts again: the page says so, goes on where it was, and nothing
// that was written is lost.
func TestServerRestarts(t *testing.T) {
	b, _ := real(t)
	b.until("document.querySelector('#persona option[value=ENGINEER]')")
	b.do(fill(message, "What do you do?"), press("Enter"))
	b.until("document.querySelector('.foot')?.innerText.includes('done')")
	b.do(fill(message, "precious"))
	b.mayFail()
	b.program.stop()
	b.until("document.querySelector('#link-state').innerText.includes('lost')")
	b.do(press("Enter"))
	b.until("document.querySelector('.dock .notice')?.innerText.includes('The server does not answer') && document.querySelector('#message').value === 'precious'")
	b.shot("lost")
	b.program.start(t)
	b.until("document.querySelector('#link-state').innerText === 'live' && !document.querySelector('.dock .notice')")
	b.tabTo("#message")
	b.do(press("Enter"))
	b.until("document.querySelectorAll('.turn').length === 2 && document.querySelectorAll('.foot')[1]?.innerText.includes('done')")
	if got := value[string](b, "[...document.querySelectorAll('.words')].map(w => w.innerText).join('|')"); got != "What do you do?|precious" {
		t.Errorf("what was said is %q", got)
	}
}
