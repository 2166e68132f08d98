package browser

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"belay/internal/api/apitest"
	"belay/internal/permit"
)

// The settings of the program are shown with where each comes from, and what turns have used.
func TestSettings(t *testing.T) {
	b, _ := real(t)
	b.until("document.querySelector('#persona option[value=ENGINEER]')")
	b.say("What do you do?")
	b.do(press("Escape", "Ctrl+k"))
	b.until("document.activeElement.getAttribute('role') === 'combobox'")
	b.do(chromedp.KeyEvent("usage"), press("Enter"))
	b.until("document.querySelector('.usage tbody tr')?.innerText.includes('bridge')")
	b.shot("usage")
	b.tabTo("a[href='/settings?show=server']")
	b.do(press("Enter"))
	b.until("document.querySelector('[data-setting=provider]')")
	if got := b.text("[data-setting=provider]"); !strings.Contains(got, "scripted") || !strings.Contains(got, "config.yaml:") {
		t.Errorf("the provider's row reads %q", got)
	}
	b.shot("server")
	b.tabTo("#search-settings")
	b.do(chromedp.KeyEvent("bash.timeout"))
	b.until("document.querySelector('[data-setting=\"bash.timeout\"]')?.innerText.includes('default')")
	b.tabTo("a[href='/settings?show=checks']")
	b.do(press("Enter"))
	b.until("document.querySelector('.checks li')")
	b.shot("checks")
}

// The browsers that were let in are listed, and this one logs out.
func TestDevices(t *testing.T) {
	b, _ := real(t)
	b.until("document.querySelector('#persona option[value=ENGINEER]')")
	b.visitPath("/settings?show=devices")
	b.until("document.querySelector('.device')?.innerText.includes('this browser')")
	b.shot("devices")
	b.mayFail()
	b.tabTo("#logout")
	b.do(press("Enter"))
	b.until("location.pathname === '/' && document.querySelector('#sessions')")
	b.visitPath("/settings?show=devices")
	b.until("document.querySelector('.settings .notice')?.innerText.includes('belay open')")
}

// With keys alone another browser that was let in is removed.
func TestRemoveDeviceByKeys(t *testing.T) {
	b := signedIn(t, &apitest.Engine{})
	link, _ := b.op.Link("")
	_, code, _ := strings.Cut(link, "#code=")
	res, err := http.Post(b.srv.URL+"/api/auth/exchange", "application/json", strings.NewReader(`{"code":"`+code+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b.visit("settings?show=devices")
	b.until("document.querySelectorAll('.device').length === 2")
	b.tabTo(".device .danger")
	b.do(press("Enter"))
	b.until("document.querySelectorAll('.device').length === 1 && document.querySelector('.device').innerText.includes('this browser')")
}

// What runs is seen from everywhere, and stopped at once.
func TestStopAll(t *testing.T) {
	b, project := real(t)
	before := levels(t, project)
	b.until("document.querySelector('#persona option[value=ENGINEER]')")
	b.do(fill(message, "Please bring the deck's levels in line with the brief."), press("Enter"))
	b.until("document.querySelector('.question')")
	b.until("document.querySelector('#activity')?.innerText.includes('1 waiting')")
	b.do(press("Escape", "g", "r"))
	b.until("document.querySelector('.actives li')?.innerText.includes('waits for 1 answer')")
	b.shot("activity")
	b.tabTo("#stop-all")
	b.do(press("Enter"))
	b.until("document.querySelector('dialog')?.innerText.includes('Nothing runs') && !document.querySelector('#activity')")
	b.do(press("Escape"))
	b.until("document.querySelector('.foot')?.innerText.includes('interrupted')")
	if got := levels(t, project); got != before {
		t.Errorf("the stopped turn changed the file:\n%s", got)
	}
}

// The border of the list is moved by keys, and this browser keeps it.
func TestPaneWidth(t *testing.T) {
	b := asking(t)
	b.visit("inbox")
	b.until("document.querySelector('.pane .row')")
	width := func() int {
		return value[int](b, "Math.round(document.querySelector('.pane').getBoundingClientRect().width)")
	}
	was := width()
	b.tabTo(".resizer")
	b.do(press("ArrowRight", "ArrowRight"))
	if got := width(); got != was+32 {
		t.Errorf("the list is %d pixels wide, after %d", got, was)
	}
	b.do(chromedp.Reload())
	b.until("document.querySelector('.pane .row')")
	if got := width(); got != was+32 {
		t.Errorf("after a reload the list is %d pixels wide", got)
	}
}

// The browser notifies a person, who allowed that, of a question that comes while nobody looks.
func TestNotification(t *testing.T) {
	b := asking(t)
	b.do(onNewDocument(`window.told = [];
		window.Notification = class { static permission = "granted"; constructor(title, o) { told.push(title + "|" + o.tag); } };
		document.hasFocus = () => false;`))
	b.visit("settings")
	b.until("document.querySelector('#notify')")
	b.tabTo("#notify")
	b.do(press("Space"))
	b.until("document.querySelector('#notify').checked")
	b.engine.Ask(permit.Request{ID: "dec_9", SessionID: "s1", Persona: "ENGINEER", Reason: "it runs a command", Effect: permit.Effect{Tool: "bash", Kind: permit.Execute, Command: "make all"}})
	b.until("window.told.length > 0")
	if got := value[string](b, "window.told.join(' ')"); got != "ENGINEER wants to run a command|dec_9" {
		t.Errorf("the browser tells %q", got)
	}
}
