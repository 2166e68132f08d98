package authored

import (
	"fmt"
	"strconv"
	"strings"
)

// Value is a node as plain Go values: nil, bool, int64, float64, string, []any and
// map[string]any, each made anew.
func (n *Node) Value() any {
	switch n.Kind {
	case Bool:
		return strings.EqualFold(n.Text, "true")
	case Int:
		if v, err := strconv.ParseInt(strings.ReplaceAll(n.Text, "_", ""), 0, 64); err == nil {
			return v
		}
		return n.float()
	case Float:
		return n.float()
	case Text:
		return n.Text
	case List:
		all := make([]any, len(n.Items))
		for i, c := range n.Items {
			all[i] = c.Value()
		}
		return all
	case Map:
		all := make(map[string]any, len(n.Fields))
		for _, f := range n.Fields {
			all[f.Name] = f.Value.Value()
		}
		return all
	case Null:
	}
	return nil
}

// float is a number that is no int64; what JSON cannot say is its text.
func (n *Node) float() any {
	v, err := strconv.ParseFloat(strings.ReplaceAll(n.Text, "_", ""), 64)
	if err != nil || v != v || v > 1e308 || v < -1e308 {
		return fmt.Sprint(n.Text)
	}
	return v
}
