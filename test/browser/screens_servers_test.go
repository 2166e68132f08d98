package browser

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// screenServers start what the pictures are taken of, and return the names in their paths
// with what they stand for.
var screenServers = map[string]func(t *testing.T) (*tab, []string){
	"fresh": func(t *testing.T) (*tab, []string) {
		b, _ := real(t)
		b.until("document.querySelector('#persona option[value=ENGINEER]')")
		return b, nil
	},
	"memory": func(t *testing.T) (*tab, []string) {
		return asking(t), nil
	},
	"agent": agentScreens,
	"site":  siteScreens,
}

// agentScreens is the example after a turn that was answered, with another one that asks.
func agentScreens(t *testing.T) (*tab, []string) {
	b, project := real(t)
	b.mayFail()
	commitAll(t, project, "Levels as surveyed in April")
	put(t, project, deckFolder+"/Guidance.md", read(t, project, deckFolder+"/Guidance.md")+"\nThe camber of the deck stays as it is.\n")
	commitAll(t, project, "Guidance: keep the camber")
	b.until("document.querySelector('#persona option[value=ENGINEER]')")
	var files []string
	for _, name := range []string{"drawings/site-plan.png", "documents/brief.pdf", "survey/levels.csv"} {
		files = append(files, filepath.Join(project, filepath.FromSlash(name)))
	}
	before, sheet := levels(t, project), read(t, project, deckFolder+"/Datasheet.md")
	ask := func(text string) {
		b.do(chromedp.WaitEnabled(message), chromedp.SetUploadFiles(chromedp.CSS("#pick"), files))
		b.until("document.querySelectorAll('#files li.ready').length === 3")
		b.do(fill(message, text), press("Enter"))
		b.until("document.querySelector('.question h3')?.innerText === 'ENGINEER wants to change deck.csv'")
	}
	b.click("#more-options")
	b.do(fill(chromedp.CSS("dialog [name=approval]"), "REVIEW-7"), press("Escape"))
	b.until("!document.querySelector('dialog')")
	ask("Please bring the deck's levels in line with the brief.")
	b.do(chromedp.Click(chromedp.CSS(".question .primary")))
	b.until("document.querySelector('.question h3')?.innerText === 'ENGINEER wants to change Datasheet.md'")
	b.do(chromedp.Click(chromedp.CSS(".question .primary")))
	b.until("document.querySelector('.foot')?.innerText.includes('done')")
	session := value[string](b, "location.pathname")
	put(t, project, deck, before)
	put(t, project, deckFolder+"/Datasheet.md", sheet)
	b.visitPath("/?new=1")
	b.until("document.querySelector('#persona option[value=ENGINEER]')")
	ask("The water rose in May. Please bring the deck's levels in line with the brief again.")
	waiting := value[string](b, "location.pathname")
	b.visitPath("/inbox")
	b.until("document.querySelector('.pane .row')")
	b.do(press("j"))
	b.until("location.pathname.startsWith('/q/')")
	question := value[string](b, "location.pathname")

	put(t, project, deckFolder+"/Datasheet.md", sheet+"\nThe handrail is 1.10 m high.\n")
	register := deckFolder + "/Dependencies.csv"
	put(t, project, register, strings.Replace(read(t, project, register), "DEP-01-01-003", "DEP-3", 1))
	propose(t, project, "proposal-0001", deckFolder,
		proposedRow(5, "The slope of the deck is limited", "Specification.md", "Specification > Requirements", "The slope between two points is at most 6 in 100."),
		proposedRow(6, "The underside is above the highest water", "brief.pdf", "brief.pdf > What is asked for", "at least 0.60 m above the highest water on record"),
		proposedRow(7, "The deck rests on the abutments", "Specification.md", "Specification > Requirements", "The deck rests on the abutments as they are."))
	put(t, project, "_Estimates/cost.csv", "item,eur\ndeck,18400\nhandrails,5200\n")
	home := b.home()
	b.visitPath(home + "/history")
	b.click("#publish")
	b.do(chromedp.WaitVisible(chromedp.CSS("#publish-label")), fill(chromedp.CSS("#publish-label"), "EST"), press("Enter"))
	b.until("document.querySelector('.chip.good')?.innerText.includes('verified')")
	put(t, project, "_Estimates/cost.csv", "item,eur\ndeck,18400\nhandrails,5600\n")
	value[bool](b, "localStorage.setItem('belay.visits', JSON.stringify({ v: 1, is: { '"+strings.TrimPrefix(home, "/p/")+"': { seen: new Date(Date.now() - 36e5).toISOString(), before: '' } } })) === undefined")

	// What is written last is the draft of a new session.
	put(t, b.program.home, "section.png", "no picture")
	b.visitPath("/?new=1")
	b.do(chromedp.WaitEnabled(message), fill(message, "Compare the offers with the survey, and say what they leave out."),
		chromedp.SetUploadFiles(chromedp.CSS("#pick"), files))
	b.until("document.querySelectorAll('#files li.ready').length === 3")
	return b, []string{"{session}", session, "{waiting}", waiting, "{question}", question, "{bridge}", home, "{deck}", home + "/d/" + deckKey}
}

// parts are the packages of the site and their deliverables. A deliverable needs the one
// before it in its package, and the one at the same place of the package before.
var parts = []struct{ name, deliverables string }{
	{"Ground", "Boring Logs,Groundwater,Soil Parameters,Contamination,Survey Grid,Existing Pipes"},
	{"Foundations", "Pile Layout,Pile Loads,Raft Slab,Retaining Wall,Excavation Pit,Waterproofing"},
	{"Structure", "Load Model,Core Walls,Columns,Slabs,Stairs,Roof Frame,Connections"},
	{"Envelope", "Facade Grid,Glazing,Roof Build-up,Doors,Thermal Bridges,Drainage"},
	{"Services", "Ventilation,Heating,Power Supply,Lighting,Sprinklers,Lifts,Data Network"},
	{"Outside", "Access Road,Planting,Bicycle Stands,Rainwater,Lighting of Paths"},
}

// decompositionOfSite is the document that defines the parts.
func decompositionOfSite() string {
	var s strings.Builder
	s.WriteString("# Community centre\n\nKnowledge types: KTY-01-01 Datasheets.\n\n## Packages\n\n| PackageID | Name |\n|---|---|\n")
	for p, part := range parts {
		fmt.Fprintf(&s, "| PKG-%02d | %s |\n", p+1, part.name)
	}
	s.WriteString("\n## Deliverables\n\n| DeliverableID | Name | Type | ResponsibleParty |\n|---|---|---|---|\n")
	for p, part := range parts {
		for d, name := range strings.Split(part.deliverables, ",") {
			fmt.Fprintf(&s, "| DEL-%02d-%02d | %s | Document | Engineer |\n", p+1, d+1, name)
		}
	}
	return s.String()
}

// writeSite makes the project of a building, with workflows, of which one is wrong.
func writeSite(t *testing.T, program, project string) {
	t.Helper()
	decomposition := filepath.Join(t.TempDir(), "centre.md")
	if err := os.WriteFile(decomposition, []byte(decompositionOfSite()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(program, "project", "init", project, "--decomposition", decomposition).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	header, _, _ := strings.Cut(largeRegister(1), "\n")
	states := []struct{ name, by string }{
		{"OPEN", "PREPARATION"}, {"INITIALIZED", "4_DOCUMENTS"}, {"SEMANTIC_READY", "CHIRALITY_FRAMEWORK"}, {"IN_PROGRESS", "HUMAN"}, {"CHECKING", "HUMAN"}, {"ISSUED", "HUMAN"},
	}
	for p, part := range parts {
		names := strings.Split(part.deliverables, ",")
		for d, name := range names {
			found, err := filepath.Glob(filepath.Join(project, fmt.Sprintf("PKG-%02d_*", p+1), "1_Working", fmt.Sprintf("DEL-%02d-%02d_*", p+1, d+1)))
			if err != nil || len(found) != 1 {
				t.Fatal(found, err)
			}
			folder, id := found[0], fmt.Sprintf("DEL-%02d-%02d", p+1, d+1)
			reached := max(5-(p*3+d*2+1)/4, 0)
			history, last := "", ""
			for i := range reached + 1 {
				last = fmt.Sprintf("2026-%02d-%02d", 6+i+(p+d)%2/2, 1+(7*d+3*p+i)%24)
				history += fmt.Sprintf("- %s — State set to %s (%s)\n", last, states[i].name, states[i].by)
			}
			put(t, folder, "_STATUS.md", fmt.Sprintf("# Status: %s %s\n\n**Current State:** %s\n**Last Updated:** %s\n\n## History\n%s", id, name, states[reached].name, last, history))
			for i, document := range []string{"Datasheet", "Specification", "Guidance", "Procedure"} {
				if reached > 0 && (i < 3 || (p+d)%5 != 0) {
					put(t, folder, document+".md", "# "+document+": "+name+"\n\nIt starts from what is known of its surroundings.\n")
				}
			}
			rows := header + "\n" + fmt.Sprintf("v3.1,DEP-%s-001,PKG-%02d,%s,%s,ANCHOR,IMPLEMENTS_NODE,UPSTREAM,OTHER,WBS_NODE,,,SOW-%03d,Scope,,%s implements SOW-%03d,_CONTEXT.md,_CONTEXT.md > Scope Traceability,Scope items,EXPLICIT,,,NOT_APPLICABLE,HIGH,EXTRACTED,2026-05-04,2026-05-04,ACTIVE,FACT\n",
				id[4:], p+1, id, name, p+1, id, p+1)
			need := func(n, ofPart, of int) {
				state := []string{"SATISFIED", "PENDING", "TBD"}[(ofPart+of)%3]
				rows += fmt.Sprintf("v3.1,DEP-%s-%03d,PKG-%02d,%s,%s,EXECUTION,NOT_APPLICABLE,UPSTREAM,PREREQUISITE,DELIVERABLE,PKG-%02d,DEL-%02d-%02d,,%s,,It starts from what is known there,Datasheet.md,Datasheet.md,It starts from what is known,EXPLICIT,,,%s,HIGH,EXTRACTED,2026-05-04,2026-05-04,ACTIVE,FACT\n",
					id[4:], n, p+1, id, name, ofPart+1, ofPart+1, of+1, strings.Split(parts[ofPart].deliverables, ",")[of], state)
			}
			if d > 0 && d%3 != 2 {
				need(2, p, d-1)
			}
			if p > 0 && d < len(strings.Split(parts[p-1].deliverables, ",")) {
				need(3, p-1, d)
			}
			if p == 2 && d == 3 { // slabs and connections wait for each other
				need(4, 2, 6)
			}
			if p == 2 && d == 6 {
				need(4, 2, 3)
			}
			put(t, folder, "Dependencies.csv", rows)
			put(t, folder, "_DEPENDENCIES.md", strings.Replace(read(t, folder, "_DEPENDENCIES.md"), "NOT_TRACKED", "TRACKED", 1))
		}
	}
	if out, err := exec.Command(program, "deps", "summary", "--project", project, "--write").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	connections := "PKG-03_Structure/1_Working/DEL-03-07_Connections/Dependencies.csv"
	put(t, project, connections, strings.ReplaceAll(read(t, project, connections), "DEP-03-07-004", "DEP-7"))
	put(t, project, "workflows/review.yaml", `id: review
description: Reads what a deliverable says about a topic, and asks before it writes.
input:
  type: object
  required: [topic]
  properties:
    topic: {type: string, description: "what is reviewed"}
    depth: {enum: [quick, thorough], default: quick}
    questions: {type: boolean, default: true, description: "ask about what is missing"}
agents: [{id: critic, instructions: You review documents.}, {id: writer, instructions: You write reports.}]
tasks:
  - {id: read, agent: critic, prompt: "What is missing about {{ .workflow.input.topic }}?", attachments: [{type: file, path: notes.md}], on_success: {next: agree}}
  - {id: agree, type: wait, message: Is this list what the report should be about?, on_success: {next: report}}
  - {id: report, agent: writer, prompt: Write the report., final: true}
`)
	put(t, project, "workflows/notes.md", "# Notes\n\nThe piles end in the gravel.\n")
	wrong := "id: estimate\ndescription: Estimates the cost of each package.\ntasks:\n"
	for i := range 20 {
		wrong += fmt.Sprintf("  - {id: t%02d, agent: estimator, prompt: Estimate part %d.}\n", i+1, i+1)
	}
	put(t, project, "workflows/estimate.yaml", wrong)
}

// siteScreens is a project with forty deliverables, agents that worked on some of them, and a
// run that asks.
func siteScreens(t *testing.T) (*tab, []string) {
	b, project, id := piped(t, func(project string) {
		program, _ := built()
		writeSite(t, program, project)
		// A command asks about what it has changed, and nobody answers for a while.
		put(t, filepath.Dir(project), "settings.yaml", "provider: scripted\nprices:\n  scripted: {input: 2, output: 4}\npermit: {timeout: 3s}\nscripted: {script: "+filepath.Join(filepath.Dir(project), "script.yaml")+"}\n")
		put(t, filepath.Dir(project), "script.yaml", `turns:
  - when: Number the notes
    steps:
      - say: I number the notes.
      - call: {name: bash, input: {command: "cd workflows && cat -n notes.md > numbered.md && sed -i 's/gravel/gravel layer/' notes.md", description: Numbers the notes}}
      - say: They are kept until somebody decides.
`)
	})
	home := "/p/" + id
	var chosen string
	for _, d := range []string{"PKG-02_Foundations::DEL-02-01", "PKG-02_Foundations::DEL-02-03", "PKG-02_Foundations::DEL-02-04", "PKG-03_Structure::DEL-03-01", "PKG-03_Structure::DEL-03-02", "PKG-04_Envelope::DEL-04-01"} {
		chosen += "&keys=" + d
	}
	b.visitPath(home + "/pipeline?category=TASK&type=TASK" + chosen)
	b.until("document.querySelectorAll('.target input:checked').length > 3")
	b.do(fill(chromedp.CSS(".pipeline-note textarea"), "List what the structure still has to say about loads."))
	b.click("#preview")
	b.click("#start-pipeline")
	b.until("document.querySelector('[data-progress=done]')?.innerText === '6 done'")
	batch := value[string](b, "location.pathname + location.search")
	b.visitPath(home + "/workflows?file=workflows/review.yaml")
	b.do(chromedp.WaitVisible(chromedp.CSS("[name=topic]")), fill(chromedp.CSS("[name=topic]"), "Foundations"))
	b.click("#start-run")
	b.until("location.pathname.includes('/runs/') && document.querySelector('.run-wait')")
	run := value[string](b, "location.pathname")
	b.visitPath("/?new=1&root=" + url.QueryEscape(project))
	b.do(chromedp.WaitEnabled(message), fill(message, "Number the notes."), press("Enter"))
	b.until("document.querySelector('.foot')?.innerText.includes('done')")
	b.visitPath("/inbox?show=kept")
	b.until("document.querySelector('.pane .row')")
	kept := value[string](b, "document.querySelector('.pane .row').getAttribute('href')")
	return b, []string{"{kept}", kept, "{site}", home, "{chosen}", chosen, "{batch}", batch, "{run}", run}
}
