package definition

import (
	"fmt"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
)

// Condition is the expression of a router, in the Common Expression Language. It
// sees what templates see.
type Condition struct {
	text    string
	program cel.Program
}

// What a condition may take: its length, and its cost in CEL's own units.
const (
	maxCondition  = 4 << 10
	conditionCost = 10_000
)

// conditionVariables are the context's keys.
var conditionVariables = []string{"workflow", "tasks", "input", "with", "env", "agents", "tools", "trigger"}

// NewCondition compiles an expression.
func NewCondition(text string) (*Condition, error) {
	if len(text) > maxCondition {
		return nil, fmt.Errorf("a condition of %d bytes, more than the %d that are taken", len(text), maxCondition)
	}
	options := make([]cel.EnvOption, 0, len(conditionVariables))
	for _, name := range conditionVariables {
		options = append(options, cel.Variable(name, cel.DynType))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		return nil, err
	}
	ast, issues := env.Compile(text)
	if err := issues.Err(); err != nil {
		problems := make([]string, 0, len(issues.Errors()))
		for _, e := range issues.Errors() {
			problems = append(problems, e.Message)
		}
		return nil, fmt.Errorf("this is no CEL expression: %s", strings.Join(problems, "; "))
	}
	program, err := env.Program(ast, cel.CostLimit(conditionCost), cel.InterruptCheckFrequency(100))
	if err != nil {
		return nil, err
	}
	return &Condition{text: text, program: program}, nil
}

// Text is the expression.
func (c *Condition) Text() string { return c.text }

// Route evaluates the condition to the value that routes are chosen by. An empty
// result is an error, as is one that is no text, number or truth value.
func (c *Condition) Route(values map[string]any) (string, error) {
	input := make(map[string]any, len(conditionVariables))
	for _, name := range conditionVariables {
		if input[name] = values[name]; input[name] == nil {
			input[name] = map[string]any{}
		}
	}
	out, _, err := c.program.Eval(input)
	if err != nil {
		return "", fmt.Errorf("the condition %s: %w", c.text, err)
	}
	s, ok := routeValue(out)
	if !ok || s == "" {
		return "", fmt.Errorf("the condition %s gives %v, which names no route", c.text, out)
	}
	return s, nil
}

func routeValue(v ref.Val) (string, bool) {
	switch v := v.(type) {
	case types.String:
		return strings.TrimSpace(string(v)), true
	case types.Bool:
		return strconv.FormatBool(bool(v)), true
	case types.Int:
		return strconv.FormatInt(int64(v), 10), true
	case types.Uint:
		return strconv.FormatUint(uint64(v), 10), true
	case types.Double:
		return strconv.FormatFloat(float64(v), 'g', -1, 64), true
	}
	return "", false
}
