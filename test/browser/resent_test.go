package browser

import "testing"

// The answer of a start is lost. The person goes back, looks again and starts the same: it runs
// once. Another selection is another start.
func TestPipelineStartIsResent(t *testing.T) {
	b, _, id := piped(t, func(project string) { deliverables(t, project, 2) })
	b.mayFail()
	b.visitPath("/p/" + id + "/pipeline?category=TASK&scopeKey=PKG-01_Part%201::DEL-01-01")
	b.click(taskType)
	value[bool](b, `window.keys = [], window.held = window.fetch, window.fetch = async (path, init) => {
		const key = new Headers(init?.headers).get("Idempotency-Key");
		const answer = await window.held(path, init);
		if (!String(path).includes("/pipeline/start") || !key) return answer;
		window.keys.push(key);
		return window.keys.length > 2 ? answer : new Response("<h1>Bad gateway</h1>", { status: 502 });
	}, true`)
	for _, lost := range []string{"1", "2"} {
		b.click("#preview")
		b.click("#start-pipeline")
		b.until("window.keys.length === " + lost + " && document.querySelector('dialog .notice.bad')?.innerText.includes('Unexpected answer')")
		b.do(press("Escape"))
		b.until("!document.querySelector('dialog')")
	}
	b.click("[data-target='PKG-01_Part 1::DEL-01-01'] input")
	b.click("[data-target='PKG-01_Part 1::DEL-01-02'] input")
	b.click("#preview")
	b.click("#start-pipeline")
	b.until("location.pathname.startsWith('/s/') && document.querySelector('.foot')?.innerText.includes('done')")
	if got := value[string](b, "window.keys.map(k => window.keys.indexOf(k)).join(' ')"); got != "0 0 2" {
		t.Errorf("the keys are %s", got)
	}
	value[bool](b, "window.total = -1, fetch('/api/harness/sessions').then(r => r.json()).then(a => { window.total = a.total; }), true")
	b.until("window.total === 2")
}
