package authored

import (
	"fmt"
	"strings"
)

// String says what the value is in a few words, for the reference. So do those below.
func (v Words) String() string {
	if v.Blank {
		return "text"
	}
	return "text, not empty"
}

func (ID) String() string { return "an id: letters, digits, - and _" }

func (v Choice) String() string { return "one of " + strings.Join(v.all(), ", ") }

func (Truth) String() string { return "true or false" }

func (v Whole) String() string { return fmt.Sprintf("a whole number from %d to %d", v.Least, v.Most) }

func (v Above) String() string { return fmt.Sprintf("a number above %g, up to %.0f", v.Least, v.Most) }

func (v Length) String() string {
	return "a length of time up to " + LengthText(v.Most)
}

func (v Free) String() string {
	names := make([]string, len(v.Kinds))
	for i, k := range v.Kinds {
		names[i] = k.String()
	}
	return strings.Join(names, " or ")
}

func (v ListOf) String() string {
	if s := shapeIn(v); s != nil {
		return "a list, each " + s.What
	}
	return fmt.Sprintf("a list, each %s", v.Each)
}

func (v MapOf) String() string { return fmt.Sprintf("a mapping to %s", v.Each) }

func (v Either) String() string { return fmt.Sprintf("%s; or %s", v.Short, v.Mapping) }

func (s *Shape) String() string { return s.What }
