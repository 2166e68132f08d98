package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"belay/internal/quantity"
	"belay/internal/render"
	"belay/internal/workflow/run"
)

// printTasks prints the tasks that have begun, those within others below them.
func printTasks(c *console, all []run.Task, waits []run.Waiting, now time.Time) {
	all, more := foldTasks(all)
	t := &table{heads: []string{"TASK", "STATE", "TIME", "TOKENS", "SESSION", "WHAT"}}
	for i := range all {
		task := &all[i]
		session := ""
		if n := len(task.Attempts); n > 0 {
			session = task.Attempts[n-1].Session
			if c.width > 0 {
				session = session[:min(len(session), minShown)]
			}
		}
		state := waitingState(task.Status, slices.ContainsFunc(waits, func(w run.Waiting) bool { return w.Task == task.Key }))
		t.add(task.Key, state, taskTook(task, now), tokensOf(task), session, whatOf(task))
	}
	c.print(t, "")
	if more > 0 {
		c.write("and " + quantity.Count(more, "more task", "more tasks") + " of large collections, which are done (--json has all)\n")
	}
}

// foldTasks leaves out what is done of large collections, but for the first ones.
func foldTasks(all []run.Task) (shown []run.Task, more int) {
	large := map[string]int{}
	for i := range all {
		if t := &all[i]; t.Kind == "collection" && t.Of > largeCollection {
			large[t.Key] = 0
		}
	}
	for i := range all {
		t := &all[i]
		if key := holderOf(t.Key, large); key != "" && t.Status == run.Success {
			if large[key]++; large[key] > shownTenths {
				more++
				continue
			}
		}
		shown = append(shown, *t)
	}
	return shown, more
}

// holderOf is the large collection that a task is in, "" for none.
func holderOf(key string, large map[string]int) string {
	for i := strings.LastIndexByte(key, '/'); i > 0; i = strings.LastIndexByte(key[:i], '/') {
		if _, ok := large[key[:i]]; ok {
			return key[:i]
		}
	}
	return ""
}

func taskTook(t *run.Task, now time.Time) string {
	switch {
	case t.EndedAt != nil:
		return quantity.Duration(t.Worked(now))
	case t.Status == run.Running:
		return quantity.Duration(t.Worked(now).Truncate(time.Second))
	}
	return ""
}

// whatOf is a task in a few words: why it failed, where it went, who did it.
func whatOf(t *run.Task) string {
	var parts []string
	if t.Item != nil {
		parts = append(parts, brief(t.Item))
	}
	switch {
	case t.Error != nil:
		parts = append(parts, reasonOf(t.Error))
	case t.Route != "":
		parts = append(parts, "→ "+t.Route)
	case t.Agent != "" && t.Action != "":
		parts = append(parts, t.Agent+"/"+t.Action)
	case t.Agent != "":
		parts = append(parts, t.Agent)
	default:
		parts = append(parts, string(t.Kind))
	}
	if n := len(t.Attachments); n > 0 {
		parts = append(parts, quantity.Count(n, "file", "files"))
	}
	if n := len(t.Attempts); n > 1 {
		parts = append(parts, fmt.Sprintf("%d attempts", n))
	}
	return strings.Join(parts, ", ")
}

// printTask prints all of one task for people.
func printTask(c *console, t *run.Task) {
	failure, item := "", ""
	if t.Error != nil {
		failure = withCode(t.Error.Message, t.Error.Type)
	}
	if t.Item != nil {
		item = brief(t.Item)
	}
	c.fields(
		"task", t.Key, "kind", string(t.Kind), "state", runState(t.Status), "started", when(t.StartedAt),
		"time", taskTook(t, time.Now()), "tokens", tokensOf(t), "agent", t.Agent, "action", t.Action, "model", render.Model(t.Model),
		"item", item, "route", t.Route, "error", failure,
	)
	for i, a := range t.Attempts {
		words := a.Session
		if a.Repaired {
			words += ", asked once more for the wanted form"
		}
		if a.Error != nil {
			words += ": " + reasonOf(a.Error)
		}
		c.fields(fmt.Sprintf("try %d", i+1), words)
	}
	for _, r := range t.Attachments {
		label := "shown"
		if r.Refused != "" {
			label = "refused"
		}
		c.fields(label, reported(r))
		for _, w := range r.Warnings {
			c.fields("warning", line(r.Name)+": "+line(w))
		}
	}
	c.section("input", t.Input)
	c.section("prompt", t.Prompt)
	c.section("output", t.Output)
}
