package template_test

import (
	"strings"
	"testing"

	"belay/internal/template"
)

// Functions of numbers take text for what it says, and fail where it says no number or
// the result is none.
func TestNumberFunctions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{{ int "08" }} {{ int " 5" }} {{ int "-7" }} {{ int 3.7 }} {{ int true }}`:                   "8 5 -7 3 1",
		`{{ int64 "9007199254740993" }} {{ atoi "12" }}`:                                              "9007199254740993 12",
		`{{ float64 "3.7" }} {{ float64 " 1e3 " }} {{ float64 "3.7" | int }}`:                         "3.7 1000 3",
		`{{ add 1 "2" 3 }} {{ sub 1 2 }} {{ mul 3 "4" }} {{ div 7 2 }} {{ mod 7 2 }}`:                 "6 -1 12 3 1",
		`{{ add }} {{ add -1 1 }} {{ add1 4 }} {{ max 1 "9" 3 }} {{ biggest 1 2 }} {{ min 3 1 }}`:     "0 0 5 9 2 1",
		`{{ addf 0.1 "0.2" }} {{ divf 1 4 }} {{ round "3.14159" 2 }} {{ ceil 1.2 }} {{ maxf 1 2.5 }}`: "0.3 0.25 3.14 2 2.5",
		`{{ range until (int "2") }}{{ . }}{{ end }}`:                                                 "01",
	} {
		tmpl, err := template.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := tmpl.Execute(world()); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
	}
	for text, says := range map[string]string{
		`{{ int "3.7" }}`:                         `int takes a whole number, and is given the text "3.7"`,
		`{{ int "" }}`:                            `the text ""`,
		`{{ atoi "x" }}`:                          `atoi takes a whole number, and is given the text "x"`,
		`{{ add 1 "abc" }}`:                       `add takes a whole number, and is given the text "abc"`,
		`{{ float64 "abc" }}`:                     `float64 takes a number, and is given the text "abc"`,
		`{{ float64 "0x1p4" }}`:                   "takes a number",
		`{{ addf 1 "abc" }}`:                      `addf takes a number, and is given the text "abc"`,
		`{{ int (list 1) }}`:                      "int takes a number, and is given a list",
		`{{ add 9223372036854775807 1 }}`:         "add of 9223372036854775807 and 1 is too large",
		`{{ sub -9223372036854775807 2 }}`:        "is too large",
		`{{ mul 9223372036854775807 2 }}`:         "is too large",
		`{{ add1 9223372036854775807 }}`:          "is too large",
		`{{ div 1 0 }}`:                           "divides by 0",
		`{{ mod 1 0 }}`:                           "divides by 0",
		`{{ divf 1 0 }}`:                          "divides by 0",
		`{{ int "99999999999999999999" }}`:        "takes a whole number",
		`{{ fromJson "[12345678901234567890]" }}`: "too large to be kept as it is",
		`{{ fromJson "nothing" }}`:                "not JSON",
		`{{ int 1e30 }}`:                          "too large for a whole number",
	} {
		tmpl, err := template.Parse(text)
		if err == nil {
			_, err = tmpl.Execute(world())
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
}
