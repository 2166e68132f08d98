package settings

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// workflows are the limits of runs.
var workflows = map[string]check{
	"workflow.steps": {
		set: "1", shows: `workflow.steps`, without: `exit code 0`,
		see: func(b *bench) string {
			return b.flow("- {id: t, agent: a, prompt: go, on_success: {next: u}}\n  - {id: u, agent: a, prompt: go}")
		},
	},
	"workflow.parallel": {
		set: "1", shows: `^one after the other`, without: `^at once`,
		see: func(b *bench) string {
			b.script("wait: 5s", "say: done") // on a busy machine the other begins late
			out := b.flow("- {id: p, type: parallel, tasks: [{id: t, agent: a, prompt: go}, {id: u, agent: a, prompt: go}]}", "--json")
			// Each try and each end of one of the two.
			var order strings.Builder
			for _, m := range regexp.MustCompile(`"type":"task:(attempt|end)","task":"p/`).FindAllStringSubmatch(out, -1) {
				order.WriteString(m[1] + " ")
			}
			switch order.String() {
			case "attempt attempt end end ":
				return "at once"
			case "attempt end attempt end ":
				return "one after the other"
			}
			return order.String() + out
		},
	},
	"workflow.max_items": {
		set: "1", shows: `workflow.max_items`, without: `exit code 0`,
		see: func(b *bench) string { return b.flow(eachOfTwo) },
	},
	"workflow.max_tasks": {
		set: "2", shows: `workflow.max_tasks`, without: `exit code 0`,
		see: func(b *bench) string { return b.flow(eachOfTwo) },
	},
	"workflow.providers": {
		set: "[openai]", shows: `^1 requests`, without: `^0 requests`,
		see: func(b *bench) string {
			b.settings["provider"] = "scripted"
			p := b.provider(0)
			b.file("flow.yaml", "id: flow\nagents: [{id: a, instructions: You answer., model: {provider: openai, model: m}}]\ntasks: [{id: t, agent: a, prompt: go}]\n")
			out := b.run("run", "flow.yaml")
			return p.asked() + out
		},
	},
	"workflow.retention": {
		set: "1d", shows: `^$`, without: `run.json`,
		see: func(b *bench) string {
			b.flow("- {id: t, agent: a, prompt: go}")
			path := strings.TrimSuffix(b.project+"/.belay/runs/"+strings.SplitN(b.under(b.project+"/.belay/runs"), "/", 2)[0], "\n") + "/run.json"
			text, err := readFile(path)
			must(b.t, err)
			then := time.Now().Add(-48 * time.Hour).UTC().Format(time.RFC3339)
			b.file(path, regexp.MustCompile(`"endedAt": "[^"]*"`).ReplaceAllString(text, `"endedAt": "`+then+`"`))
			b.run("gc")
			return b.under(b.project + "/.belay/runs")
		},
	},
}

const eachOfTwo = `- {id: each, type: collection, items: [one, two], task: {id: t, agent: a, prompt: "{{ .item }}"}}`

// flow is the output of a run of tasks.
func (b *bench) flow(tasks string, args ...string) string {
	b.t.Helper()
	b.file("flow.yaml", "id: flow\nagents: [{id: a, instructions: You answer.}]\ntasks:\n  "+tasks+"\n")
	return b.run(append([]string{"run", "flow.yaml"}, args...)...)
}

// making are the limits of roots and snapshots.
var making = map[string]check{
	"snapshot.bytes": {
		set: "1KiB", shows: `snapshot.bytes`, without: `exit code 0`,
		see: func(b *bench) string { return b.publish() },
	},
}

// publish is the output of the publication of two files.
func (b *bench) publish() string {
	b.t.Helper()
	b.root()
	for i := range 2 {
		b.file(fmt.Sprintf("draft/%d.md", i), strings.Repeat("words\n", 200))
	}
	return b.run("snapshot", "new", "_Estimates", "EST", "--from", "draft")
}

// delegating are the settings of subagents.
var delegating = map[string]check{
	"subagents.enabled": {
		set: "true", also: settings{"instructions": "../../examples/agent/instructions"}, shows: `the checker answers`, without: `subagents.enabled`,
		see: func(b *bench) string { return b.delegate() },
	},
}

// helpers is an instruction root with an agent that has a subagent.
func (b *bench) helpers() string {
	b.t.Helper()
	dir := b.other + "/instructions"
	must(b.t, copyDir(dir, "../../examples/agent/instructions"))
	return dir
}

// delegate is the output of a turn that hands out a task.
func (b *bench) delegate() string {
	b.t.Helper()
	b.settings["instructions"] = b.helpers()
	b.settings["scripted.script"] = b.file(b.other+"/script.yaml", `turns:
  - when: go
    steps:
      - call: {name: agent.CHECKER, input: {task: Look at it.}}
      - say: done
  - when: Look at it
    steps:
      - say: the checker answers
`)
	return b.turn("--persona", "ENGINEER", "--delegate", "approved", "go")
}
