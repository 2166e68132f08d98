// Package skills holds the tool with which a model reads a skill ([skill]).
//
// The tool reads what lies in the folder of a skill and nothing else, also of the person's own
// skills, which lie where no other tool looks. A result is information: nothing in it permits a
// call.
//
// Contract: turn API REQ-04; architecture, "Security posture".
package skills

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"belay/internal/permit"
	"belay/internal/skill"
	"belay/internal/tool"
)

// Name is the tool's.
const Name = "skill"

// maxFile bounds a file beside SKILL.md, in bytes: instructions are no data.
const maxFile = 1 << 20

// Tool is the tool.
type Tool struct{ config string }

var _ tool.Tool = Tool{}

// New returns the tool. Config is the person's own folder for settings ([skill.Folders]).
func New(config string) Tool { return Tool{config} }

type input struct {
	Name string `json:"name"`
	File string `json:"file"`
	Line int    `json:"line"`
}

// Spec implements [tool.Tool].
func (Tool) Spec() tool.Spec {
	return tool.Spec{
		Name: Name,
		Description: "Read a skill: the instructions in its SKILL.md, or with file another file of its folder, such as references/forms.md. " +
			"Long files come in parts; line is where to go on. Only text is read.",
		Schema: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["name"],"properties":{
"name":{"type":"string","minLength":1,"maxLength":64,"description":"the name of the skill, from the list of skills"},
"file":{"type":"string","minLength":1,"maxLength":1024,"description":"a path below the folder of the skill, SKILL.md by default"},
"line":{"type":"integer","minimum":1,"maximum":1000000000,"description":"first line to show, 1 by default"}}}`),
	}
}

// Prepare implements [tool.Tool].
func (t Tool) Prepare(_ context.Context, w *tool.Environment, raw json.RawMessage) (tool.Call, error) {
	var in input
	if err := tool.Decode(raw, &in); err != nil {
		return nil, err
	}
	folders := skill.Folders{Config: t.config, Project: w.Project}
	catalog := folders.Find()
	s, ok := catalog.Named(in.Name)
	if !ok {
		var names []string
		for _, s := range catalog.Skills {
			names = append(names, s.Name)
		}
		return nil, tool.Refuse("there is no skill named %s", tool.Printable(in.Name)).WithHint("the skills are: %s", orNone(names))
	}
	in.File = cmp.Or(in.File, "SKILL.md")
	return call{w, folders, s, in}, nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// call is one call of the tool.
type call struct {
	w       *tool.Environment
	folders skill.Folders
	skill   skill.Skill
	in      input
}

// file is the file's path in the project, "" for a skill of the person's own.
func (c call) file() string {
	if c.skill.Own {
		return ""
	}
	return path.Join(path.Dir(c.skill.Path), c.in.File)
}

// Effect implements [tool.Call].
func (c call) Effect() permit.Effect {
	e := permit.Effect{Tool: Name, Kind: permit.Read, Summary: tool.Clip("read the skill "+c.skill.Name+": "+tool.Printable(c.in.File), 190)}
	if file := c.file(); file != "" {
		e.Paths = []string{file}
	}
	return e
}

// Run implements [tool.Call].
func (c call) Run(context.Context) (tool.Result, error) {
	if file := c.file(); file != "" && c.w.Hides(file, false) {
		return tool.Result{}, tool.Refuse("the skill %s has no file %s", c.skill.Name, tool.Printable(c.in.File))
	}
	data, err := c.folders.Read(c.skill, c.in.File, maxFile)
	if err != nil {
		return tool.Result{}, tool.Refuse("%s", tool.Printable(err.Error()))
	}
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		r := tool.Refuse("%s of the skill %s is not text", tool.Printable(c.in.File), c.skill.Name)
		if file := c.file(); file != "" {
			r = r.WithHint("its path in the project is %s", tool.Printable(file))
		}
		return tool.Result{}, r
	}
	return c.show(strings.TrimPrefix(string(data), "\ufeff"))
}

// show returns the text from the line on that was asked for, as much as a result may have.
func (c call) show(text string) (tool.Result, error) {
	head := "The skill " + c.skill.Name + ", the person's own."
	if file := c.file(); file != "" {
		head = "The skill " + c.skill.Name + " of the project: " + tool.Printable(file) + "."
	}
	lines := strings.SplitAfter(text, "\n")
	first := max(c.in.Line, 1)
	if first > len(lines) {
		return tool.Result{}, tool.Refuse("%s has %d lines", tool.Printable(c.in.File), len(lines))
	}
	const note = 100 // bytes for what is said beside the text
	room := int(c.w.Limits.OutputBytes) - len(head) - note
	var b strings.Builder
	b.WriteString(head + "\n\n")
	for i, line := range lines[first-1:] {
		if room -= len(line); room < 0 && i > 0 {
			fmt.Fprintf(&b, "\n[cut: call skill again with line %d to go on]", first+i)
			return tool.Result{Text: b.String(), Truncated: true}, nil
		}
		if room < 0 {
			b.WriteString(tool.Clip(line, max(len(line)+room, 0)) + "\n[a line of this file is too long to be shown]")
			return tool.Result{Text: b.String(), Truncated: true}, nil
		}
		b.WriteString(line)
	}
	return tool.Result{Text: b.String()}, nil
}
