package scripted

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"belay/internal/badyaml"
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
	var doc yaml.Node
	if err := yaml.Load(data, &doc); err != nil {
		return nil, &ScriptError{name, []string{notYAML(err, data)}}
	}
	p := &parser{}
	s := p.script(&doc)
	if err := p.err(name); err != nil {
		return nil, err
	}
	return s, nil
}

// notYAML says where a script is no YAML.
func notYAML(err error, data []byte) string {
	at := badyaml.Find(err, data)
	text := fmt.Sprintf("line %d: it is not valid YAML: %s", max(at.Line, 1), at.Message)
	if at.Hint != "" {
		text += " (" + at.Hint + ")"
	}
	return text
}

// parser walks the document by hand, so that every problem has its line.
type parser struct{ problems []problem }

type problem struct {
	line int
	text string
}

func (p *parser) add(n *yaml.Node, format string, args ...any) {
	p.problems = append(p.problems, problem{max(n.Line, 1), fmt.Sprintf(format, args...)})
}

// err returns what was found, in the file's order, or nil.
func (p *parser) err(name string) error {
	if len(p.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(p.problems, func(a, b problem) int { return cmp.Compare(a.line, b.line) })
	e := &ScriptError{Name: name}
	for _, found := range p.problems {
		e.Problems = append(e.Problems, fmt.Sprintf("line %d: %s", found.line, found.text))
	}
	return e
}

// fields returns the values of a mapping by key. Keys outside known, and keys
// given twice, are problems.
func (p *parser) fields(n *yaml.Node, what, known string) map[string]*yaml.Node {
	if n.Kind != yaml.MappingNode {
		p.add(n, "%s must be a mapping with the keys %s", what, known)
		return nil
	}
	m := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case !strings.Contains(", "+known+",", ", "+key.Value+","):
			p.add(key, "%s has no key %q; it has %s", what, key.Value, known)
		case m[key.Value] != nil:
			p.add(key, "%s gives %q twice", what, key.Value)
		default:
			m[key.Value] = n.Content[i+1]
		}
	}
	return m
}

func (p *parser) list(n *yaml.Node, what string) []*yaml.Node {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		p.add(n, "%s must be a list with at least one entry", what)
		return nil
	}
	return n.Content
}

// text returns a scalar that is not empty.
func (p *parser) text(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || n.Value == "" {
		p.add(n, "%s must be a text that is not empty", what)
		return ""
	}
	return n.Value
}

func (p *parser) number(n *yaml.Node, what string, least, most int64) int64 {
	v, err := strconv.ParseInt(n.Value, 10, 64)
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || err != nil || v < least || v > most {
		p.add(n, "%s must be a whole number from %d to %d", what, least, most)
		return 0
	}
	return v
}

func (p *parser) script(doc *yaml.Node) *Script {
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		p.add(doc, "the script is empty; it must have the key turns")
		return nil
	}
	root := doc.Content[0]
	turns := p.fields(root, "the script", "turns")["turns"]
	if turns == nil {
		p.add(root, "the script must have the key turns")
		return nil
	}
	s := &Script{}
	for _, n := range p.list(turns, "turns") {
		s.turns = append(s.turns, p.turn(n))
	}
	return s
}

func (p *parser) turn(n *yaml.Node) scriptTurn {
	var t scriptTurn
	f := p.fields(n, "a turn", "when, steps")
	if when := f["when"]; when != nil {
		t.when = p.text(when, "when")
	}
	if f["steps"] == nil {
		p.add(n, "a turn must have the key steps")
		return t
	}
	var steps []step
	for _, s := range p.list(f["steps"], "steps") {
		steps = append(steps, p.step(s))
	}
	t.calls = calls(steps)
	return t
}

func (p *parser) step(n *yaml.Node) step {
	var s step
	f := p.fields(n, "a step", "say, think, call, usage, fail, wait, stop, panic")
	if f != nil && len(n.Content) != 2 {
		p.add(n, "a step must do exactly one thing")
		return s
	}
	for key, v := range f {
		switch key {
		case "say":
			s.say = p.text(v, key)
		case "think":
			s.think = p.text(v, key)
		case "call":
			s.call = p.call(v)
		case "usage":
			s.usage = p.usage(v)
		case "fail":
			s.fail = p.fail(v)
		case "wait":
			s.wait = p.wait(v)
		case "stop":
			s.stop = p.stop(v)
		case "panic":
			s.panic = p.text(v, key)
		}
	}
	return s
}

func (p *parser) call(n *yaml.Node) *model.ToolCall {
	f := p.fields(n, "call", "name, input, id")
	c := &model.ToolCall{Input: emptyInput}
	if f["name"] == nil {
		p.add(n, "call must have the key name")
	} else {
		c.Name = p.text(f["name"], "name")
	}
	if f["id"] != nil {
		c.ID = p.text(f["id"], "id")
	}
	if in := f["input"]; in != nil {
		var v map[string]any
		if err := in.Decode(&v); err != nil {
			p.add(in, "input must be a mapping")
		} else if raw, err := plainjson.Marshal(v); err != nil {
			p.add(in, "input cannot be written as JSON: %v", err)
		} else if v != nil {
			c.Input = raw
		}
	}
	return c
}

func (p *parser) usage(n *yaml.Node) *model.Usage {
	const most = 1 << 40
	u := &model.Usage{}
	f := p.fields(n, "usage", "input, output, cache_read, cache_write")
	for _, key := range slices.Sorted(maps.Keys(f)) {
		tokens := p.number(f[key], key, 0, most)
		switch key {
		case "input":
			u.InputTokens = tokens
		case "output":
			u.OutputTokens = tokens
		case "cache_read":
			u.CacheReadTokens = tokens
		case "cache_write":
			u.CacheWriteTokens = tokens
		}
	}
	return u
}

var failKind = lazyregexp.New(`^[a-z][a-z_]{0,63}$`)

func (p *parser) fail(n *yaml.Node) *failure {
	f := p.fields(n, "fail", "type, status, message")
	fl := &failure{kind: "api_error"}
	if v := f["type"]; v != nil {
		if fl.kind = p.text(v, "type"); !failKind.MatchString(fl.kind) {
			p.add(v, "type must be lower-case letters and underscores")
		}
	}
	if v := f["status"]; v != nil {
		fl.status = int(p.number(v, "status", 400, 599))
	}
	if v := f["message"]; v != nil {
		fl.message = p.text(v, "message")
	}
	return fl
}

func (p *parser) wait(n *yaml.Node) time.Duration {
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || d <= 0 || d > maxWait {
		p.add(n, "wait must be a duration up to %s, such as 200ms", maxWait)
		return 0
	}
	return d
}

func (p *parser) stop(n *yaml.Node) model.StopReason {
	reason := model.StopReason(n.Value)
	switch reason {
	case model.StopEndTurn, model.StopMaxTokens, model.StopSequence, model.StopRefusal, model.StopPause, model.StopContext:
		return reason
	default:
		p.add(n, "stop must be one of end_turn, max_tokens, stop_sequence, refusal, pause_turn, context_window")
		return ""
	}
}
