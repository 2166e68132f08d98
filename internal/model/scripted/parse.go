package scripted

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"belay/internal/authored"
	"belay/internal/lazyregexp"
	"belay/internal/model"
	"belay/internal/plainjson"
)

// MaxScriptBytes caps a script file, in bytes.
const MaxScriptBytes = 1 << 20

// maxWait caps one wait step.
const maxWait = 10 * time.Minute

// ScriptError lists every problem of a script.
type ScriptError struct {
	// Name is the file's name.
	Name string
	// Problems are sentences that begin with the line, in the file's order.
	Problems []string
}

// Error implements error.
func (e *ScriptError) Error() string {
	return "script " + e.Name + ": " + strings.Join(e.Problems, "; ")
}

// Parse reads a script of at most 1 MiB; name is the file's, for errors. Unknown
// keys, wrong types and values that no step can have are all reported, in one
// *[ScriptError].
func Parse(name string, data []byte) (*Script, error) {
	if len(data) > MaxScriptBytes {
		return nil, &ScriptError{name, []string{fmt.Sprintf("the file has more than %d bytes", MaxScriptBytes)}}
	}
	root, err := authored.Parse(name, data)
	if err != nil {
		return nil, scriptError(name, err)
	}
	r := &authored.Report{}
	s := &Script{}
	for _, o := range authored.Read(root, r, "", scriptShape).Objects("turns") {
		s.turns = append(s.turns, readTurn(o))
	}
	if err := r.Err(name); err != nil {
		return nil, scriptError(name, err)
	}
	return s, nil
}

// scriptError is the error for a file with problems.
func scriptError(name string, err error) error {
	var found *authored.Error
	if !errors.As(err, &found) {
		return err
	}
	e := &ScriptError{Name: name}
	for _, p := range found.Problems {
		line := max(p.Line, 1)
		p.Line = 0 // the line alone tells
		e.Problems = append(e.Problems, fmt.Sprintf("line %d: %s", line, p))
	}
	return e
}

// The shapes of a script.
var (
	scriptShape = &authored.Shape{Name: "script", What: "the script", Keys: []authored.Key{
		{Name: "turns", Value: authored.ListOf{Each: turnShape, Least: 1}, Required: true},
	}}
	turnShape = &authored.Shape{Name: "turn", What: "a turn", Keys: []authored.Key{
		{Name: "when", Value: authored.Words{}},
		{Name: "steps", Value: authored.ListOf{Each: stepShape, Least: 1}, Required: true},
	}}
	stepShape = &authored.Shape{Name: "step", What: "a step", Keys: []authored.Key{
		{Name: "say", Value: authored.Words{Blank: true}},
		{Name: "think", Value: authored.Words{Blank: true}},
		{Name: "call", Value: callShape},
		{Name: "usage", Value: usageShape},
		{Name: "fail", Value: failShape},
		{Name: "wait", Value: authored.Length{Most: maxWait}},
		{Name: "stop", Value: authored.Choice{Words: []string{
			string(model.StopEndTurn), string(model.StopMaxTokens), string(model.StopSequence),
			string(model.StopRefusal), string(model.StopPause), string(model.StopContext),
		}}},
		{Name: "panic", Value: authored.Words{}},
	}}
	callShape = &authored.Shape{Name: "call", What: "call", Keys: []authored.Key{
		{Name: "name", Value: authored.Words{}, Required: true},
		{Name: "input", Value: authored.Free{Kinds: []authored.Kind{authored.Map}}},
		{Name: "id", Value: authored.Words{}},
	}}
	tokens     = authored.Whole{Most: 1 << 40}
	usageShape = &authored.Shape{Name: "usage", What: "usage", Keys: []authored.Key{
		{Name: "input", Value: tokens}, {Name: "output", Value: tokens}, {Name: "cache_read", Value: tokens}, {Name: "cache_write", Value: tokens},
	}}
	failShape = &authored.Shape{Name: "fail", What: "fail", Keys: []authored.Key{
		{Name: "type", Value: authored.Words{}},
		{Name: "status", Value: authored.Whole{Least: 400, Most: 599}},
		{Name: "message", Value: authored.Words{}},
	}}
)

func readTurn(o *authored.Object) scriptTurn {
	var steps []step
	for _, s := range o.Objects("steps") {
		steps = append(steps, readStep(s))
	}
	return scriptTurn{when: o.Text("when"), calls: calls(steps)}
}

func readStep(o *authored.Object) (s step) {
	n := o.Node()
	if len(n.Fields) != 1 || n.Fields[0].Value.Kind == authored.Null {
		o.Beyond(authored.RuleShape, "", "", "a step must do exactly one thing")
		return s
	}
	name := n.Fields[0].Name
	switch name {
	case "say", "think":
		if v := o.Field(name); v != nil && v.Text == "" {
			o.Beyond(authored.RuleShape, name, "", "it is empty")
		}
		s.say, s.think = o.Text("say"), o.Text("think")
	case "call":
		if c := o.Object(name); c != nil {
			s.call = readCall(c)
		}
	case "usage":
		if u := o.Object(name); u != nil {
			s.usage = &model.Usage{
				InputTokens: u.Int("input"), OutputTokens: u.Int("output"),
				CacheReadTokens: u.Int("cache_read"), CacheWriteTokens: u.Int("cache_write"),
			}
		}
	case "fail":
		if f := o.Object(name); f != nil {
			s.fail = readFailure(f)
		}
	case "wait":
		s.wait = o.Duration(name)
	case "stop":
		s.stop = model.StopReason(o.Word(name))
	case "panic":
		s.panic = o.Text(name)
	}
	return s
}

func readCall(o *authored.Object) *model.ToolCall {
	c := &model.ToolCall{ID: o.Text("id"), Name: o.Text("name"), Input: emptyInput}
	if n := o.Field("input"); n != nil {
		raw, err := plainjson.Marshal(n.Value())
		if err != nil {
			o.Beyond(authored.RuleShape, "input", "", "it cannot be written as JSON: %v", err)
		}
		c.Input = raw
	}
	return c
}

var failKind = lazyregexp.New(`^[a-z][a-z_]{0,63}$`)

func readFailure(o *authored.Object) *failure {
	f := &failure{kind: o.Text("type"), status: int(o.Int("status")), message: o.Text("message")}
	if o.Field("type") == nil {
		f.kind = "api_error"
	} else if !failKind.MatchString(f.kind) {
		o.Beyond(authored.RuleShape, "type", "", "it must be lower-case letters and underscores")
	}
	return f
}
