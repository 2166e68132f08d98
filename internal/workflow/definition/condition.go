package definition

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"
	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"belay/internal/fault"
)

// Condition is the expression of a router, in the Common Expression Language. It
// sees what templates see.
type Condition struct {
	text string
	// variables are the keys of the context that it may see.
	variables []string
	program   cel.Program
	tasks     []string
	// all is set where it looks at tasks without naming them.
	all bool
	// paths are the fields that it takes to be there. whole says that it is the first of
	// them and nothing else.
	paths [][]string
	whole bool
	// sees are the keys of the context that it looks at.
	sees []string
	// results are all that it can give, nil where that is not known.
	results []string
	// compared are the paths that it compares with literals.
	compared []comparison
}

// What a condition may take: its length, and its cost in CEL's own units.
const (
	maxCondition  = 4 << 10
	conditionCost = 10_000
)

// conditionVariables are the context's keys, repeatVariables those that the end of a round
// has beside them.
var (
	conditionVariables = []string{"workflow", "tasks", "input", "with", "env", "agents", "tools", "trigger"}
	repeatVariables    = []string{"output", "index", "item"}
)

// NewCondition compiles an expression, which may see more than every condition does.
func NewCondition(text string, more ...string) (*Condition, error) {
	if len(text) > maxCondition {
		return nil, fmt.Errorf("a condition of %d bytes, more than the %d that are taken", len(text), maxCondition)
	}
	options := make([]cel.EnvOption, 0, len(conditionVariables))
	variables := slices.Concat(conditionVariables, more)
	options = append(options, cel.ASTValidators(cel.ValidateRegexLiterals(), cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals()))
	for _, name := range variables {
		options = append(options, cel.Variable(name, cel.DynType))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		return nil, err
	}
	ast, issues := env.Compile(text)
	if err := issues.Err(); err != nil {
		var problems []string
		for _, e := range issues.Errors() {
			syntax, ok := strings.CutPrefix(e.Message, "Syntax error: ")
			syntax = plainSyntax(guess.ReplaceAllString(syntax, ""))
			if ok && len(problems) > 0 {
				break // what follows the first is noise
			}
			if at := e.Location.Column() + 1; at > 0 && e.Location.Line() == 1 {
				syntax = fmt.Sprintf("at character %d: %s", at, syntax)
			}
			problems = append(problems, syntax)
		}
		return nil, fmt.Errorf("this is no CEL expression: %s", strings.Join(problems, "; "))
	}
	program, err := env.Program(ast, cel.EvalOptions(cel.OptPartialEval), cel.CostLimit(conditionCost), cel.InterruptCheckFrequency(100))
	if err != nil {
		return nil, err
	}
	ids, all := tasksIn(ast)
	c := &Condition{text: text, variables: variables, program: program, tasks: ids, all: all}
	c.paths, c.whole, c.compared = pathsIn(ast.NativeRep().Expr())
	c.sees = keysIn(ast)
	c.results = resultsOf(ast.NativeRep().Expr(), ast.OutputType().IsExactType(cel.BoolType))
	return c, nil
}

// keysIn are the names in an expression, which may be keys of the context.
func keysIn(ast *cel.Ast) (names []string) {
	celast.PreOrderVisit(ast.NativeRep().Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		if e.Kind() == celast.IdentKind {
			names = append(names, e.AsIdent())
		}
	}))
	return names
}

// tasksIn are the tasks that an expression looks at by their ids. It also says whether it
// looks at others.
func tasksIn(ast *cel.Ast) (ids []string, all bool) {
	uses := 0
	isTasks := func(e celast.Expr) bool { return e.Kind() == celast.IdentKind && e.AsIdent() == "tasks" }
	celast.PreOrderVisit(ast.NativeRep().Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		switch e.Kind() {
		case celast.IdentKind:
			if isTasks(e) {
				uses++
			}
		case celast.SelectKind:
			if s := e.AsSelect(); isTasks(s.Operand()) && !s.IsTestOnly() {
				ids = append(ids, s.FieldName())
			}
		case celast.CallKind:
			c := e.AsCall()
			if args := c.Args(); c.FunctionName() == operators.Index && isTasks(args[0]) && args[1].Kind() == celast.LiteralKind {
				if id, ok := args[1].AsLiteral().(types.String); ok {
					ids = append(ids, string(id))
				}
			}
		default:
		}
	}))
	return ids, uses > len(ids)
}

// Text is the expression.
func (c *Condition) Text() string { return c.text }

// Tasks are the ids of the tasks that the expression looks at.
func (c *Condition) Tasks() []string {
	if c == nil {
		return nil
	}
	return c.tasks
}

// All reports whether the expression looks at tasks that it does not name.
func (c *Condition) All() bool { return c != nil && c.all }

// Sees reports whether the expression looks at a key of the context.
func (c *Condition) Sees(key string) bool { return c != nil && slices.Contains(c.sees, key) }

// Route evaluates the condition to the value that routes are chosen by. An empty
// result is an error, as is one that is no text, number or truth value.
func (c *Condition) Route(values map[string]any) (string, error) {
	out, err := c.evaluate(c.context(values))
	if err != nil {
		return "", err
	}
	return c.route(out)
}

// route is a result as routes name it.
func (c *Condition) route(out ref.Val) (string, error) {
	s, ok := routeValue(out)
	if !ok || s == "" {
		return "", fmt.Errorf("the condition %s gives %s, which names no route", fault.Clip(c.text), resultText(out))
	}
	return s, nil
}

// Holds evaluates the condition to true or false; anything else is an error.
func (c *Condition) Holds(values map[string]any) (bool, error) {
	out, err := c.evaluate(c.context(values))
	if err != nil {
		return false, err
	}
	b, ok := out.(types.Bool)
	if !ok {
		return false, fmt.Errorf("the condition %s gives %s, and neither true nor false", fault.Clip(c.text), resultText(out))
	}
	return bool(b), nil
}

// resultText is a result that a condition cannot use, in words.
func resultText(out ref.Val) string {
	switch out := out.(type) {
	case types.Null:
		return "null"
	case types.String:
		if strings.TrimSpace(string(out)) == "" {
			return "an empty text"
		}
	}
	return fault.Clip(fmt.Sprint(out))
}

// context are those of the values that the condition may see.
func (c *Condition) context(values map[string]any) map[string]any {
	input := make(map[string]any, len(c.variables))
	for _, name := range c.variables {
		if input[name] = values[name]; input[name] == nil {
			input[name] = map[string]any{}
		}
	}
	return input
}

func (c *Condition) evaluate(input any) (ref.Val, error) {
	out, _, err := c.program.Eval(input)
	switch {
	case err == nil:
		return out, nil
	case strings.Contains(err.Error(), "no such key"):
		return nil, fmt.Errorf("the condition %s: %w; has(…) tells whether something is there: has(input.kind) && input.kind == \"a\"", fault.Clip(c.text), err)
	case strings.Contains(err.Error(), "no such overload"):
		return nil, fmt.Errorf("the condition %s: what it works on is of a type that does not go with it", fault.Clip(c.text))
	default:
		return nil, fmt.Errorf("the condition %s: %w", fault.Clip(c.text), err)
	}
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
