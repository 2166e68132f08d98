package definition

import (
	"time"

	"belay/internal/attachment/declared"
	"belay/internal/authored"
)

// The bounds of what a file may ask for.
const (
	maxTime    = 24 * time.Hour
	maxRetries = 10
	maxBatch   = 1000
	maxRounds  = 100
	maxWait    = 30 * 24 * time.Hour
	// maxTurns bounds the calls of the model that a task may have.
	maxTurns  = 1000
	maxTokens = 1 << 40
	maxCost   = 1e6 // US dollars
)

// EditorSchema is the JSON Schema of workflow files, for editors. It refuses what
// [Parse] refuses, but for what breaks a rule of which a JSON Schema knows nothing:
// syntax, templates, references, circles and the like.
func EditorSchema() map[string]any { return authored.Schema("belay workflow", workflowShape) }

// Shapes are the mappings that a file is made of, for the reference.
func Shapes() []*authored.Shape {
	return []*authored.Shape{
		workflowShape, sharedShape, configShape, snapshotShape, agentShape, actionShape, modelShape, permissionsShape, budgetShape,
		taskShape, nextShape, declared.Shape, // a task within another is a task with fewer fields
	}
}

// Values that several shapes have.
var (
	anyText = authored.Words{Blank: true}
	filled  = authored.Words{}
	texts   = authored.ListOf{Each: authored.Words{Blank: true}}
	free    = authored.Free{Kinds: []authored.Kind{authored.Map}}
	// schemaOrID is a JSON Schema, or the id of one of the file's.
	schemaOrID = authored.Either{Short: filled, Mapping: jsonSchema{}}
)

const templates = " Its texts are templates."

var workflowShape = &authored.Shape{
	Name: "workflow",
	What: "a workflow",
	Doc:  "Agents, and tasks that they do one after the other or at the same time.",
	Keys: []authored.Key{
		{Name: "$schema", Value: anyText, Doc: "The schema that editors hold the file against. Nobody else reads it."},
		{Name: "id", Required: true, Value: authored.ID{}, Doc: "The name of the workflow."},
		{Name: "version", Value: anyText, Doc: "The author's, told in the record of a run."},
		{Name: "description", Value: anyText, Doc: "What the workflow is for."},
		{Name: "use", Value: authored.ListOf{Each: filled}, Doc: "Names of files in the same folder, with agents, actions and schemas that several workflows share."},
		{Name: "schemas", Value: authored.ListOf{Each: jsonSchema{named: true}}, Doc: "JSON Schemas, draft 2020-12, each with an id that other places name."},
		{Name: "config", Value: configShape, Doc: "Another place for input and env."},
		{Name: "input", Value: schemaOrID, Doc: "The schema of what a run is given: a JSON Schema, or the id of one of schemas. Defaults are filled in before it is checked."},
		{Name: "env", Value: free, Doc: "Values that templates see as .env. The environment of the process is never seen." + templates},
		declared.BaseField("Where the paths of attachments begin that do not say it: workflow, the folder of this file, or project. Default: workflow."),
		{Name: "agents", Value: authored.ListOf{Each: agentShape}, Doc: "Who works on the tasks."},
		{Name: "tasks", Required: true, Value: authored.ListOf{Each: taskShape, Least: 1}, Doc: "What is done. A run begins with the first one and goes on where on_success, on_error and routes lead."},
		{Name: "outputs", Value: free, Doc: "What the run gives in the end; left out, what the tasks gave." + templates},
		{Name: "snapshot", Value: snapshotShape, Doc: "Where a finished run is published in the project."},
	},
	Constraints: []authored.Constraint{
		authored.Clash{One: "config.input", Other: "input", Message: "the schema of the input is given here and in config.input", Hint: "keep one of them"},
		authored.Clash{One: "config.env", Other: "env", Message: "env is given here and in config.env", Hint: "keep one of them"},
	},
}

var configShape = &authored.Shape{
	Name: "config", What: "the configuration", Doc: "The schema of the input, and values for templates.",
	Keys: []authored.Key{
		{Name: "input", Value: schemaOrID, Doc: "The schema of what a run is given, or its id."},
		{Name: "env", Value: free, Doc: "Values that templates see as .env." + templates},
	},
}

var snapshotShape = &authored.Shape{
	Name: "snapshot", What: "the snapshot", Doc: "Where a finished run is published: a folder that is never changed again.",
	Keys: []authored.Key{
		{Name: "root", Required: true, Value: filled, Doc: "A folder in the project, such as _Runs."},
		{Name: "label", Value: anyText, Doc: "What the snapshot's name ends with."},
	},
}

var modelShape = &authored.Shape{
	Name: "model", What: "a model", Doc: "A model, and where it is asked.",
	Keys: []authored.Key{
		{Name: "provider", Value: anyText, Doc: "The provider, such as anthropic, openai or scripted. Left out, the one that the run has."},
		{Name: "model", Required: true, Value: filled, Doc: "The model's name."},
	},
}

// model is a name, or a mapping with the provider.
var model = authored.Either{Short: anyText, Mapping: modelShape}

// rights are the fields about what an agent may use; kinds are the tasks that have
// them.
func rights(kinds ...string) []authored.Key {
	return []authored.Key{
		{Name: "tools", For: kinds, Value: texts, Doc: "The tools that it has, and no others. Left out, a task has those of its agent, and an agent has none."},
		{Name: "permissions", For: kinds, Value: permissionsShape, Doc: "Rules of permission, such as bash(ls) or write(docs/**). A file denies; what it would allow still asks."},
		{Name: "budget", For: kinds, Value: budgetShape, Doc: "How much it may take. The limits of a task stand before those of its agent."},
	}
}

var permissionsShape = &authored.Shape{
	Name: "permissions", What: "the rules of permission", Doc: "Rules for the calls of tools.",
	Keys: []authored.Key{
		{Name: "allow", Value: texts, Doc: "Calls that the author thinks are needed. They ask all the same, unless the person who starts the run allows them."},
		{Name: "deny", Value: texts, Doc: "Calls that are refused for everyone who starts the run."},
	},
}

var budgetShape = &authored.Shape{
	Name: "budget", What: "a budget", Doc: "How much a task may take.",
	Keys: []authored.Key{
		{Name: "max_turns", Value: authored.Whole{Least: 1, Most: maxTurns}, Doc: "How often the model is called."},
		{Name: "max_tokens", Value: authored.Whole{Least: 1, Most: maxTokens}, Doc: "Tokens that the model writes."},
		{Name: "max_cost", Value: authored.Above{Least: 0, Most: maxCost}, Doc: "US dollars."},
		{Name: "max_time", Value: authored.Length{Most: maxTime}, Doc: "A length of time, as 30s or 5m."},
	},
}

var agentShape = &authored.Shape{
	Name: "agent", What: "an agent", Doc: "Who works on tasks: instructions, and actions that it can be asked for.",
	Misplaced: func(_, name string) (message, hint string) {
		switch name {
		case "prompt", "input", "output":
			return "an agent has no " + name, "it belongs to one of its actions"
		case "tasks", "outputs", "schemas", "agents", "snapshot":
			return "an agent has no " + name, "it belongs to the workflow: indent it less"
		}
		return "", ""
	},
	Keys: append([]authored.Key{
		{Name: "id", Required: true, Value: authored.ID{}, Doc: "The name that tasks call it by."},
		{Name: "instructions", Required: true, Value: filled, Doc: "The system prompt: a template."},
		{Name: "model", Value: model, Doc: "The model that it is. Left out, the one that the run has."},
		{Name: "with", Value: free, Doc: "Values for its prompts, beneath those of the action or the task." + templates},
		{Name: "attachments", Value: declared.List, Doc: "What the model is shown in each of its tasks, behind those of the task."},
		{Name: "actions", Value: authored.ListOf{Each: actionShape}, Doc: "What it can be asked for."},
		{Name: "use", Value: authored.ListOf{Each: filled}, Doc: "The ids of shared actions that it can be asked for, too."},
	}, rights()...),
}

var actionShape = &authored.Shape{
	Name: "action", What: "an action", Doc: "Something that an agent can be asked to do.",
	Keys: []authored.Key{
		{Name: "id", Required: true, Value: authored.ID{}, Doc: "The name that tasks call it by."},
		{Name: "prompt", Required: true, Value: filled, Doc: "The text for the model: a template."},
		{Name: "input", Value: schemaOrID, Doc: "The schema of what tasks give in with, or its id."},
		{Name: "output", Value: schemaOrID, Doc: "The schema of the answer, or its id. The answer then is JSON; one that does not fit is asked for once more."},
		{Name: "with", Value: free, Doc: "Values for the prompt, where the task gives none." + templates},
		{Name: "attachments", Value: declared.List, Doc: "What the model is shown for this action, behind those of task and agent."},
	},
}

var nextShape = &authored.Shape{
	Name: "next", What: "what follows", Doc: "The task that follows.",
	Keys: []authored.Key{
		{Name: "next", Required: true, Value: filled, Doc: "The id of a task."},
		{Name: "with", Value: free, Doc: "Values for it." + templates},
	},
}

var whoShape = &authored.Shape{
	Name: "agent-reference", What: "an agent's name", Doc: "One of the file's agents.",
	Keys: []authored.Key{{Name: "id", Required: true, Value: filled, Doc: "The id of an agent."}},
}
