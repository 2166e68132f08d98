package authored

import (
	"fmt"
	"strconv"
	"strings"

	"belay/internal/lazyregexp"
	"belay/internal/plainjson"
)

// exact notes on r each whole number of a value, at any depth, that would become another one
// when it is read. It reports whether there is none. A number that is taken as text is not
// looked at: it stays as it is written.
func exact(r *Report, n *Node, path string) bool {
	right := true
	switch n.Kind {
	case Int, Float:
		if problem, hint := otherNumber(n.Text); problem != "" {
			r.Beyond(RuleSyntax, n, path, hint, "%s", problem)
			return false
		}
	case List:
		for i, c := range n.Items {
			right = exact(r, c, At(path, i)) && right
		}
	case Map:
		for _, f := range n.Fields {
			right = exact(r, f.Value, join(path, f.Name)) && right
		}
	case Null, Bool, Text:
	}
	return right
}

// whole is a number without a point and an exponent.
var whole = lazyregexp.New(`^[-+]?[0-9][0-9_]*$`)

// otherNumber says why a whole number of a file would become another one, and what to write
// for it; "" where it stays. With a zero before its other digits a number is octal in YAML 1.1
// and decimal in YAML 1.2.
func otherNumber(text string) (problem, hint string) {
	if !whole.MatchString(text) {
		return "", ""
	}
	digits := strings.ReplaceAll(strings.TrimLeft(text, "-+"), "_", "")
	if octal, err := strconv.ParseInt(digits, 0, 64); err == nil {
		if decimal, err := strconv.ParseInt(digits, 10, 64); err == nil && decimal != octal {
			return fmt.Sprintf("programs differ on %.40s: it is %d or %d", text, decimal, octal),
				"put it in quotes where it is a name, and leave the first zeros out where it is a number"
		}
		return "", ""
	}
	if digits = strings.TrimLeft(digits, "0"); digits != "" {
		if strings.HasPrefix(text, "-") {
			digits = "-" + digits
		}
		if _, err := plainjson.Value([]byte(digits)); err != nil {
			return err.Error(), ""
		}
	}
	return "", ""
}
