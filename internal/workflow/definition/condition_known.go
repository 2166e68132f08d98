package definition

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
)

// Foresee evaluates the condition before the run, without values that are unknown then.
// Unknown names them by their paths in the context: a whole key, or a field of one. Known is
// false where the result depends on them. An error is one that every evaluation has,
// whatever the unknown values turn out to be. The result is as routes name it.
func (c *Condition) Foresee(values map[string]any, unknown [][]string) (result string, known bool, err error) {
	patterns := make([]*cel.AttributePatternType, len(unknown))
	for i, path := range unknown {
		pattern := cel.AttributePattern(path[0])
		for _, field := range path[1:] {
			pattern = pattern.QualString(field)
		}
		patterns[i] = pattern
	}
	input, err := cel.PartialVars(c.context(values), patterns...)
	if err != nil {
		return "", false, err
	}
	out, err := c.evaluate(input)
	if err != nil {
		return "", false, err
	}
	if types.IsUnknown(out) {
		return "", false, nil
	}
	result, err = c.route(out)
	return result, err == nil, err
}

// alwaysFails is the error of an expression that has one whatever its values are, such as a
// division by zero; nil for any other.
func (c *Condition) alwaysFails() error {
	unknown := make([][]string, len(c.variables))
	for i, name := range c.variables {
		unknown[i] = []string{name}
	}
	_, _, err := c.Foresee(nil, unknown)
	return err
}
