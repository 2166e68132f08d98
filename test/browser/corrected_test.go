package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// A run fails at a mistake in its file. The file is corrected, the page shows which tasks
// stay, and the run goes on without asking again for what was answered.
func TestRunResumesWithACorrectedFile(t *testing.T) {
	const flow = `id: report
agents: [{id: writer, instructions: You write.}]
tasks:
  - {id: one, agent: writer, prompt: Say one., on_success: {next: two}}
  - {id: two, agent: writer, prompt: Say two., final: true}
outputs:
  late: "{{ index .tasks.two.output.response 9999 }}"
`
	b, project, id := piped(t, func(project string) {
		deliverables(t, project, 1)
		put(t, project, "report.yaml", flow)
	})
	b.visitPath("/p/" + id + "/workflows?file=report.yaml")
	b.until("document.querySelector('#start-run')")
	b.tabTo("#start-run")
	b.do(press("Enter"))
	b.until("document.querySelector('.run-head [role=status]')?.innerText === 'failed' && document.querySelector('#correct-run')")
	b.shot("failed-run")
	put(t, project, "report.yaml", strings.Replace(strings.Replace(flow, "Say two.", "Say two again.", 1), "index .tasks.two.output.response 9999", ".tasks.two.output.response", 1))
	// By keys alone from here.
	b.tabTo("#correct-run")
	b.do(press("Enter"))
	b.until("document.querySelector('#correct-file')?.value === 'report.yaml'")
	b.tabTo("#correct-look")
	b.do(press("Enter"))
	b.until("document.querySelector('[data-kept=one]')?.innerText.includes('stays') && document.querySelector('[data-kept=two]')?.innerText.includes('its definition changed')")
	if got := b.text("#correct-kept"); !strings.Contains(got, "1 task stays, 1 is done again. Nothing was started.") {
		t.Errorf("what stays reads %q", got)
	}
	b.shot("correct")
	b.tabTo("#correct-resume")
	b.do(press("Enter"))
	b.until("document.querySelector('.run-head [role=status]')?.innerText === 'done' && !document.querySelector('.run-correct')")
	b.until("document.querySelector('.run-json pre')?.innerText.includes('late')")
	// The file of another workflow is refused, and the run stays as it is.
	b.mayFail()
	put(t, project, "other.yaml", "id: other\nagents: [{id: a, instructions: You.}]\ntasks: [{id: a, agent: a, prompt: x}]\noutputs: {late: \"{{ index .tasks.a.output.response 9999 }}\"}\n")
	b.visitPath("/p/" + id + "/workflows?file=other.yaml")
	b.click("#start-run")
	b.until("document.querySelector('.run-head [role=status]')?.innerText === 'failed'")
	b.click("#correct-run")
	b.until("document.querySelectorAll('#correct-file option').length === 2")
	b.do(fill(chromedp.CSS("#correct-file"), "report.yaml"))
	b.click("#correct-look")
	b.until("document.querySelector('.run-correct .notice.bad')?.innerText.includes('the run')")
}
