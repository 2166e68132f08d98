package definition

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"belay/internal/authored"
)

// comparison is a path that an expression compares with a literal of a kind.
type comparison struct {
	path []string
	kind string
	text string
}

var comparing = []string{
	operators.Equals, operators.NotEquals, operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals,
}

// compare notes the comparisons of a call.
func (v *pathVisitor) compare(c celast.CallExpr, own own) {
	if !slices.Contains(comparing, c.FunctionName()) {
		return
	}
	args := c.Args()
	for i, other := range []celast.Expr{args[1], args[0]} {
		if path := own.path(pathOf(args[i], map[int64]bool{})); len(path) > 1 && other.Kind() == celast.LiteralKind {
			if kind, text := kindOfLiteral(other); kind != "" {
				v.compared = append(v.compared, comparison{path, kind, text})
			}
		}
	}
}

func kindOfLiteral(e celast.Expr) (kind, text string) {
	switch v := e.AsLiteral().(type) {
	case types.String:
		return isText, strconv.Quote(string(v))
	case types.Int, types.Uint, types.Double:
		return isNumber, fmt.Sprint(v.Value())
	case types.Bool:
		return isTruth, fmt.Sprint(v.Value())
	}
	return "", ""
}

// compares refuses comparisons of values of different kinds, which fail or never hold.
func (s sight) compares(c *Condition, at *authored.Node, path string) {
	for _, one := range c.compared {
		of, _, ok := s.resolve(one.path)
		if !ok || of.is() == "" || of.is() == one.kind {
			continue
		}
		s.d.report.Beyond(authored.RuleReference, at, path, "compare it with "+of.is(),
			"%s is %s, and it is compared with %s", strings.Join(one.path, "."), of.is(), one.text)
	}
}

// possible reports whether a value of a kind can be the name of a route.
func possible(kind, route string) bool {
	switch kind {
	case isNumber:
		return numberText(route) == route
	case isTruth:
		return route == "true" || route == "false"
	}
	return true
}

// numberText is how a result writes a number: 1 where a route says 1.0. It is "" for what is no
// number.
func numberText(route string) string {
	if v, err := strconv.ParseInt(route, 10, 64); err == nil {
		return strconv.FormatInt(v, 10)
	}
	v, err := strconv.ParseFloat(route, 64)
	if err != nil {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
