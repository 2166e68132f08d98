package definition

import (
	"belay/internal/attachment/declared"
	"belay/internal/authored"
)

// innerShape is a task within another, taskShape one of the workflow's.
var (
	innerShape = makeInnerShape()
	taskShape  = makeTaskShape()
)

func makeTaskShape() *authored.Shape {
	followed := []string{string(Basic), string(Parallel), string(Collection), string(Composite), string(Tool), string(Wait), string(Repeat)}
	s := &authored.Shape{
		Name: "task", What: "a task", By: "type",
		Doc:         "A step of the workflow: of type basic, an agent is asked; router, what follows is chosen; parallel, several tasks at once; collection, one task for each item of a list; composite, several tasks one after the other; tool, a tool is called without a model; wait, a person continues or refuses, or a time passes; repeat, one task until a condition holds.",
		Keys:        taskKeys(append([]string{string(Basic), string(Router)}, followed[1:]...), innerShape),
		Constraints: taskConstraints(),
		Misplaced: func(kind, name string) (message, hint string) {
			switch {
			case name == "next":
				return "a task has no next", "say what follows as on_success: {next: ID}"
			case kind == string(Router) && name == "on_success":
				return "a router has no on_success", "routes and default say what follows"
			case kind == string(Router) && name == "final":
				return "a router is never final", ""
			}
			return "", ""
		},
	}
	s.Keys = append(s.Keys,
		authored.Key{Name: "on_success", For: followed, Value: nextShape, Doc: "What follows when the task has succeeded. Left out, the run ends."},
		authored.Key{Name: "on_error", Value: nextShape, Doc: "What follows when it has failed. Left out, the run fails."},
		authored.Key{Name: "final", For: followed, Value: authored.Truth{}, Doc: "Whether the run ends with this task. Default: false."},
		authored.Key{Name: "condition", For: []string{string(Router)}, Required: true, Value: filled,
			Doc: "An expression of the Common Expression Language, over workflow, tasks, input, with, env, agents, tools and trigger. Its result chooses the route."},
		authored.Key{Name: "routes", For: []string{string(Router)}, Required: true, Value: authored.MapOf{Each: filled}, Doc: "The id of the task that follows, by the condition's result."},
		authored.Key{Name: "default", For: []string{string(Router)}, Value: anyText, Doc: "The task that follows where no route fits. Left out, that is an error."},
	)
	s.Constraints = append(s.Constraints,
		authored.Clash{One: "final", Is: true, Other: "on_success", Message: "the task is final, and on_success names a next one", Hint: "remove one of them"})
	return s
}

func makeInnerShape() *authored.Shape {
	s := &authored.Shape{
		Name: "inner-task", What: "a task within another", By: "type",
		Doc:         "A task within another. It shows the model what that one does, too, and nothing follows it.",
		Constraints: taskConstraints(),
		Misplaced: func(_, name string) (message, hint string) {
			if name == "on_success" || name == "on_error" || name == "final" {
				return "a task within another has no " + name, "say what follows on the task that holds this one"
			}
			return "", ""
		},
	}
	s.Keys = taskKeys([]string{string(Basic), string(Parallel), string(Collection), string(Composite), string(Tool), string(Wait), string(Repeat)}, s)
	return s
}

// taskKeys are the fields of a task that is of one of some kinds; inner is the shape
// of those within it.
func taskKeys(kinds []string, inner *authored.Shape) []authored.Key {
	basic, parallel, collection := []string{string(Basic)}, []string{string(Parallel)}, []string{string(Collection)}
	several := []string{string(Parallel), string(Collection)}
	tool, wait, repeat := []string{string(Tool)}, []string{string(Wait)}, []string{string(Repeat)}
	var shows, limited []string // kinds that have attachments, and limits
	for _, kind := range kinds {
		if kind != string(Wait) {
			limited = append(limited, kind)
			if kind != string(Tool) && kind != string(Router) {
				shows = append(shows, kind)
			}
		}
	}
	keys := []authored.Key{
		{Name: "id", Required: true, Value: authored.ID{}, Doc: "The name that other tasks and templates call it by; no other task has it."},
		{Name: "type", Value: authored.Choice{Words: kinds}, Doc: "What kind of task it is. Default: basic."},
		{Name: "with", Value: free, Doc: "Values for it: templates see them as .with and .input. For a tool task, the tool's input." + templates},
		{Name: "outputs", Value: free, Doc: "What other tasks see of its result, which templates here see as .output. Left out, all of it." + templates},
		{Name: "attachments", For: shows, Value: declared.List, Doc: "What the model is shown, before the attachments of agent and action. Tasks within this one have them, too."},
		{Name: "timeout", For: limited, Value: authored.Length{Most: maxTime}, Doc: "How long it may take, as 30s or 5m."},
		{Name: "retries", For: []string{string(Basic), string(Tool)}, Value: authored.Whole{Least: 1, Most: maxRetries}, Doc: "How often it is tried again after it has failed. Default: not at all."},
		{Name: "agent", For: basic, Required: true, Value: authored.Either{Short: filled, Mapping: whoShape}, Doc: "The id of the agent that does it."},
		{Name: "action", For: basic, Value: filled, Doc: "The id of the agent's action."},
		{Name: "prompt", For: basic, Value: filled, Doc: "The prompt: a template. With an action it follows the action's prompt."},
		{Name: "output", For: basic, Value: schemaOrID, Doc: "The schema of the answer, or its id, where the action has none."},
		{Name: "model", For: basic, Value: model, Doc: "The model, where it is not the agent's."},
	}
	return append(append(keys, rights(string(Basic))...), []authored.Key{
		{Name: "strategy", For: several, Value: authored.Choice{Words: []string{string(WaitAll), string(FailFast), string(BestEffort), string(Race)}},
			Doc: "wait_all waits for all and fails where one has failed; fail_fast stops the others then; best_effort succeeds whatever happens to single ones; race is done when the first has succeeded, and gives what that gave. Default: wait_all."},
		{Name: "batch", For: several, Value: authored.Whole{Least: 1, Most: maxBatch}, Doc: "How many tasks there are at the same time, at most."},
		{Name: "tasks", For: append(parallel, string(Composite)), Required: true, Value: authored.ListOf{Each: inner, Least: 1}, Doc: "What is done: at the same time in a parallel task; one after the other in a composite one, where each step sees the results of the steps before it as .tasks.ID."},
		{Name: "mode", For: collection, Value: authored.Choice{Words: []string{"parallel", sequential}}, Doc: "sequential takes one item at a time, in their order. Default: parallel."},
		{Name: "items", For: collection, Required: true, Value: authored.Free{Kinds: []authored.Kind{authored.List, authored.Text}}, Doc: "A list, or a template that gives one. Templates of the task see an item as .item and its place, from 0, as .index."},
		{Name: "task", For: append(collection, string(Repeat)), Required: true, Value: inner, Doc: "What is done for each item of a collection, or in each round of a repeat task. There, .last is the output of the round before, empty in the first, and .index counts the rounds from 0."},
		{Name: "max", For: repeat, Required: true, Value: authored.Whole{Least: 1, Most: maxRounds}, Doc: "How many rounds there are at most. The task fails if until does not hold after the last one."},
		{Name: "until", For: repeat, Required: true, Value: filled, Doc: "An expression of the Common Expression Language, evaluated after each round; true ends the task. It sees what a router's condition sees, and output and index of the round."},
		{Name: "tool", For: tool, Required: true, Value: authored.Choice{Words: ToolNames()}, Doc: "The tool that is called, under the same permissions as a model's call."},
		{Name: "message", For: wait, Value: filled, Doc: "What a person is asked: a template. They continue the run or refuse, with a note, as they answer the question of a tool call."},
		{Name: "for", For: wait, Value: authored.Length{Most: maxWait}, Doc: "How long it waits, as 30m or 72h. Left out, until a person has answered."},
		{Name: "on_time", For: wait, Value: authored.Choice{Words: []string{TimeContinues, TimeRefuses}}, Doc: "What happens when that time has passed. Default: refuse where there is a message, else continue."},
	}...)
}

// sequential is the mode of a collection that takes one item at a time.
const sequential = "sequential"

func taskConstraints() []authored.Constraint {
	return []authored.Constraint{
		authored.AtLeastOne{Kind: string(Basic), Names: []string{"action", "prompt"}, Message: "a task needs an action of its agent, or a prompt"},
		authored.AtLeastOne{Kind: string(Tool), Names: []string{"with"}, Message: "a tool task needs with, the input of its tool"},
		authored.AtLeastOne{Kind: string(Wait), Names: []string{"message", "for"}, Message: "a wait task needs a message for a person, or a time in for"},
		authored.Clash{Kind: string(Collection), One: "mode", Is: sequential, Other: "batch", Message: "a sequential collection takes one item at a time", Hint: "remove batch"},
	}
}
