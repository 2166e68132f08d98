package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"belay/internal/cli"
	"belay/internal/config"
	"belay/internal/event"
	"belay/internal/fault"
	"belay/internal/template"
	"belay/internal/workflow/definition"
	runs "belay/internal/workflow/run"
	"belay/internal/workspace/register"
)

func commands(string) ([]byte, error) {
	d := newDoc("The command line", `Machine output goes to stdout and everything else to stderr. Every command that reads takes `+"`--json`"+`. Colour appears on a
terminal only, and never with `+"`NO_COLOR`"+`. A failure prints an `+"`error:`"+` and a `+"`hint:`"+` line.
Also with `+"`--json`"+` these are plain text on stderr, and the exit code tells the kind of failure.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | problems were found, or the turn or run failed or was cut off |
| 2 | wrong use or configuration; also where an option or a setting names a persona, tool or file that does not exist |
| 3 | what the command is about is not there: a session, run, deliverable, workflow file, server or running turn; or its project folder is missing or cannot be used |
| 124 | a time limit ended the turn |
| 130 | interrupted |`)
	err := cli.Reference(d)
	return d.Bytes(), err
}

func configuration(string) ([]byte, error) {
	d := newDoc("Configuration", `Settings come from five layers, weakest first: built-in defaults, the project's `+"`belay.yaml`"+`, the user's
`+"`$XDG_CONFIG_HOME/belay/config.yaml`"+`, environment variables, flags. In a file a key with dots is nested:
`+"`turn.max_turns: 7`"+` is `+"`turn: {max_turns: 7}`"+`. `+"`--config FILE`"+`, or the variable `+"`BELAY_CONFIG`"+`, names another file than the user's. If several variables of one key are set, the first counts.
In a variable or a flag, the items of a list have commas between them, or are lines if one has a comma.
belay warns about a variable `+"`BELAY_…`"+` that no setting has. `+"`belay config show`"+` prints every value with its
origin, `+"`belay config check`"+` every problem, and `+"`belay config schema`"+` a JSON Schema for editors.

The column *project* says what a project's `+"`belay.yaml`"+` may do. That file comes with the project like its code. It may
*suggest* a default, which every other layer overrides, or *tighten* a limit, which then holds over every other layer. It may
change nothing else.

API keys are not settings. They come from the environment only (`+"`ANTHROPIC_API_KEY`"+`, else
`+"`CHIRALITY_ANTHROPIC_API_KEY`"+`; `+"`OPENAI_API_KEY`"+`) and are never shown, written or logged.`)
	d.WriteByte('\n')
	d.table("key", "default", "environment", "project", "meaning", "change it when")
	for _, s := range config.Reference() {
		d.row(code(s.Key), code(s.Default), codes(s.Env), s.Project, s.Doc, s.Why)
	}
	d.heading("Settings of earlier versions")
	d.WriteString("These have a fixed value now. A file, a variable or `--set` with one of them still loads. Every start and `belay config check`\n" +
		"warn that it has no effect. A key that limited cost, the network or the permissions of agents is an error that names the\n" +
		"setting to use instead: otherwise your limit would silently be gone.\n\n")
	d.table("key", "value", "a file that has it")
	for _, c := range config.Constants() {
		now := "loads, with a warning"
		if c.Instead != "" {
			now = "is refused: " + c.Instead
		}
		d.row(code(c.Key), c.Value, now)
	}
	return d.Bytes(), nil
}

func limits(string) ([]byte, error) {
	d := newDoc("Limits", `Nothing in belay waits without a deadline or reads without a cap. An input over a limit is refused with an error that
names the limit. The first table has the limits that you can set; see `+"[configuration.md](configuration.md)"+` for how to set them.`)
	d.WriteByte('\n')
	d.table("key", "default", "from", "to", "meaning")
	for _, s := range config.Reference() {
		if s.Limited {
			d.row(code(s.Key), code(s.Default), s.Least, s.Most, s.Doc)
		}
	}
	d.heading("Fixed limits")
	d.WriteString("These are not settings.\n\n")
	d.table("limit", "value", "meaning")
	for _, c := range config.Constants() {
		d.row(c.Key, c.Value, c.Doc)
	}
	d.row("server.body_members", "10000", "Members of one object in a JSON request body.")
	d.row("server.body_items", "100000", "Items of one array in a JSON request body; 10000 where they are texts.")
	d.row("server.body_values", "1048576", "Names and values of a whole JSON request body; eight times as many for the rows of a register, as are its bytes.")
	d.row("register.proposal_rows", strconv.Itoa(register.MaxProposalRows), "Rows of one proposal for a register, and of one `belay deps import`. A register may have more: import them in parts, with `--no-retire`.")
	return d.Bytes(), nil
}

func faults(string) ([]byte, error) {
	d := newDoc("Errors", "Every error of the server has the form `{\"error\":{\"type\",\"message\",\"hint\",\"details\"?}}`. The message names the field,\n"+
		"file or limit, and the hint the next step. The command line prints them after `error:`, with the type in brackets, and after `hint:`.\n\n"+
		"Where a request has several problems, `details.problems` lists them in the order of the checks: the first 50. `details.more` counts\n"+
		"the others.\n\n"+
		"Some requests are refused by the HTTP library before the server sees them. These answers are plain text, and the connection\n"+
		"ends: 400 for a request that is malformed or has no `Host`, 417 for an `Expect` other than `100-continue`, 431 for headers\n"+
		"over 64 KiB, 501 for a `Transfer-Encoding` other than `chunked`, 505 for another version than HTTP/1.0 and 1.1.")
	d.WriteByte('\n')
	d.table("type", "status", "meaning", "next step")
	for _, s := range fault.Types() {
		d.row(code(string(s.Type)), strconv.Itoa(s.Status), s.Meaning, s.Hint)
	}
	return d.Bytes(), nil
}

func events(string) ([]byte, error) {
	d := newDoc("Events", "Everything that happens in a turn is an event in the session's log, and every surface reads that log. On an event\n"+
		"stream an event has three lines: `id:` (its sequence in the session, from 1), `event:` (its type) and `data:` (JSON). In the log\n"+
		"and with `belay turn --json` it is one line `{\"seq\",\"turn\",\"time\",\"type\",\"data\"}`. Every turn begins with `session:init`\n"+
		"and ends with `process:exit`. A reader that returns with the last id it saw misses nothing, or gets a `log:gap` that says\n"+
		"where it continues.\n\n"+
		"If the disk is full, a turn's end cannot be written. Its readers then get a synthetic `turn:error` and `process:exit`, until the\n"+
		"log can be written again and gets its own end. Synthetic events are in no log: they have no `id:`, and `\"seq\":0` with\n"+
		"`--json`. A reader also gets a synthetic `process:exit` if the log cannot be read any more, or if a power cut or the retention\n"+
		"of logs took the turn's end; the transcript then supplies it.\n\n"+
		"`expiresAt` of a question is absent if there is no time limit. `outcome` of a `tool:result` is `refused`, `expired` (nobody\n"+
		"answered in time) or `left_out` (the call changed `leftOut` files that it may not change, and these were not applied). It is\n"+
		"absent if the call was permitted. `calls` of `process:exit` counts these outcomes for the whole turn, subagents included, and is\n"+
		"absent if there are none.")
	d.WriteByte('\n')
	d.table("event", "on the bus", "when")
	for _, s := range event.Types() {
		d.row(code(string(s.Type)), code(s.Bus), s.When)
	}
	for _, s := range event.Types() {
		d.heading(string(s.Type))
		d.table("field", "type", "")
		fieldsOf(d, reflect.TypeOf(s.Sample))
	}
	d.heading("Events of a workflow's run")
	d.WriteString("The events of a run are in its `events.jsonl`, and with `belay run --json` on stdout. Each is a line\n" +
		"`{\"seq\",\"time\",\"type\",\"task\",\"data\"}`; `task` is the task's key, such as `each/3/summarize`. On the event stream\n" +
		"`time` and `task` are members of the data. The log of a task's session has the events of its agent.\n" +
		"If a stream ends with a `run:end` without `id:`, the process of the run is gone.\n\n")
	d.table("event", "when")
	for _, s := range runs.Events() {
		d.row(code(string(s.Type)), s.When)
	}
	for _, s := range runs.Events() {
		d.heading(string(s.Type))
		d.table("field", "type", "")
		fieldsOf(d, reflect.TypeOf(s.Sample))
	}
	return d.Bytes(), nil
}

// fieldsOf lists the JSON fields of a payload, those of embedded structs among
// them.
func fieldsOf(d *doc, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			fieldsOf(d, f.Type)
			continue
		}
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		note := ""
		if strings.Contains(rest, "omitempty") || strings.Contains(rest, "omitzero") {
			note = "may be absent"
		}
		d.row(code(name), jsonType(f.Type), note)
	}
}

// jsonType names a Go type as its JSON.
func jsonType(t reflect.Type) string {
	if t == reflect.TypeFor[json.RawMessage]() {
		return "JSON"
	}
	switch t.Kind() {
	case reflect.Interface:
		return "JSON"
	case reflect.Pointer:
		return jsonType(t.Elem())
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "integer"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		return "list of " + jsonType(t.Elem())
	case reflect.Map:
		return "object"
	case reflect.Struct:
		if t == reflect.TypeFor[time.Time]() {
			return "time"
		}
		names := make([]string, 0, t.NumField())
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			if name != "" {
				names = append(names, name)
			}
		}
		return fmt.Sprintf("`{%s}`", strings.Join(names, ", "))
	}
	return t.String()
}

func functions(string) ([]byte, error) {
	d := newDoc("Functions of templates", "The functions that templates of workflow files may call. Most are from [Sprig](https://masterminds.github.io/sprig/), whose pages\n"+
		"explain them. None reads a clock, the environment, the network or random numbers, and none makes more than "+strconv.Itoa(template.MaxOutput)+" bytes.\n\n"+
		"Go's own functions and actions are available too: `and`, `or`, `not`, `len`, `index`, `slice`, and `if`, `with`, `range`.\n"+
		"`eq`, `ne`, `lt`, `le`, `gt` and `ge` compare numbers by what they are, whether they are whole or not.\n\n"+
		"Functions of numbers also take text that is a number, with blanks around it: `int \" 08\"` is 8. Text that is no number is an\n"+
		"error, and so is a result that is too large. `int`, `int64`, `atoi`, `add`, `sub`, `mul`, `div`, `mod`, `max` and `min` take whole\n"+
		"numbers: they cut a number, and refuse text such as `\"3.7\"`, for which there is `float64`. A value that is missing counts as 0.")
	d.WriteByte('\n')
	d.table("function", "takes", "gives")
	for _, f := range template.Functions() {
		d.row(code(f.Name), strings.Join(f.Takes, ", "), f.Gives)
	}
	return d.Bytes(), nil
}

// fields are what workflow files have.
func fields(string) ([]byte, error) {
	d := newDoc("Fields of workflow files", "Every field of a workflow file, as `belay workflow schema` prints them for editors. [workflows.md](workflows.md) and\n"+
		"[attachments.md](attachments.md) say how they go together. A field that is null counts as left out; names that are not listed\n"+
		"are refused.")
	for _, s := range definition.Shapes() {
		d.heading(strings.ToUpper(s.What[:1]) + s.What[1:])
		d.WriteString(s.Doc + "\n\n")
		d.table("field", "takes", "meaning")
		for _, k := range s.Keys {
			doc := k.Doc
			if len(k.For) > 0 {
				doc += " Of type " + strings.Join(k.For, ", ") + "."
			}
			if k.Required {
				doc += " Required."
			}
			d.row(code(k.Name), k.Value.String(), doc)
		}
	}
	return d.Bytes(), nil
}
