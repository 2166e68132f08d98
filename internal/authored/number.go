package authored

import (
	"fmt"
	"strconv"
	"strings"

	"belay/internal/lazyregexp"
	"belay/internal/plainjson"
)

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
