package template_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"belay/internal/template"
)

// most is how much an evaluation may allocate in all, in bytes. The functions here would
// make gigabytes, or never end.
const most = 512 << 20

// evaluate evaluates a template, and fails where that takes too much memory.
func evaluate(t *testing.T, text string, context map[string]any) error {
	t.Helper()
	parsed, err := template.Parse(text)
	if err != nil {
		t.Fatalf("%.200s: %v", text, err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = parsed.Value(context)
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; made > most {
		t.Errorf("%.200s: allocates %d MiB: %v", text, made>>20, err)
	}
	return err
}

const (
	doubled = "{{ $x := list 1 }}{{ range 40 }}{{ $x = list $x $x }}{{ end }}"
	endless = `{{ $m := dict "a" 1 }}{{ $_ := set $m "m" $m }}`
	nested  = "{{ $d := list 1 }}{{ range 90000 }}{{ $d = list (list (list (list $d))) }}{{ end }}"
)

// What would be too much is refused before it is made.
func TestRefusedBeforeMade(t *testing.T) { //nolint:paralleltest // it measures memory
	for text, want := range map[string]string{
		`{{ join (repeat 500000 "x") (until 100000) }}`:                                          "join makes more than",
		`{{ printf (repeat 80000 "%[1]s") (repeat 500000 "x") }}`:                                "printf makes more than",
		`{{ printf "%999d" (until 90000) }}`:                                                     "printf makes more than",
		`{{ printf "%.999f" (until 90000) }}`:                                                    "printf makes more than",
		`{{ indent 1000000000 "" }}`:                                                             "indent makes more than",
		`{{ nindent 1000000000 "" }}`:                                                            "nindent makes more than",
		`{{ untilStep -9223372036854775808 9223372036854775807 1 }}`:                             "too large to count with",
		`{{ untilStep 0 9223372036854775807 4611686018427387904 }}`:                              "too large to count with",
		`{{ $a := splitList "" (repeat 1000000 "x") }}{{ concat $a $a $a $a | len }}`:            "concat makes more than",
		doubled + "{{ $x }}":                                                                     "the value that is written makes more than",
		doubled + "{{ with $x }}{{ . }}{{ end }}":                                                "the value that is written makes more than",
		doubled + "{{ dict $x 1 | len }}":                                                        "dict makes more than",
		doubled + "{{ sortAlpha (list $x) }}":                                                    "sortAlpha makes more than",
		doubled + "{{ deepEqual $x (list $x) }}":                                                 "deepEqual is given more than",
		endless + "{{ $m }}":                                                                     "more than 1000 deep",
		endless + "{{ toJson $m }}":                                                              "more than 1000 deep",
		nested + "{{ $d }}":                                                                      "more than 1000 deep",
		nested + "{{ toString $d }}":                                                             "more than 1000 deep",
		nested + "{{ deepEqual $d (list $d) }}":                                                  "more than 1000 deep",
		nested + "{{ has $d (list $d) }}":                                                        "more than 1000 deep",
		"{{ $d := until 90000 }}{{ range 900 }}{{ $d = list $d }}{{ end }}{{ toPrettyJson $d }}": "toPrettyJson makes more than",
	} {
		if err := evaluate(t, text, map[string]any{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Mappings are charged for what they take, which is many times what they are made of.
func TestMappingsAreCharged(t *testing.T) { //nolint:paralleltest // it measures memory
	const big = `{{ $t := repeat 1000000 "x" }}{{ $m := .m }}`
	m := map[string]any{}
	for i := range 50_000 {
		m[fmt.Sprint(i)] = 1
	}
	for name, call := range map[string]string{
		"split": `split "" $t`, "splitn": `splitn "" 1000000 $t`, "splitn without end": `splitn "" -1 $t`,
		"fromJson": `fromJson (printf "[%s{}]" (repeat 100000 "{\"a\":1},"))`, "merge": `merge (dict) $m`, "merge within": `merge (dict "a" (dict "z" 1)) (dict "a" $m)`, "deepCopy": `deepCopy $m`, "omit": `omit $m "0"`,
	} {
		for _, times := range []int{7, 200} { // those of a few calls are not counted together
			text := big
			for range times {
				text += "{{ $" + string(rune('a'+times%26)) + " := " + call + " }}"
			}
			if err := evaluate(t, text, map[string]any{"m": m}); times > 7 && (err == nil || !strings.Contains(err.Error(), "too much work")) {
				t.Errorf("%s, %d times: %v", name, times, err)
			}
		}
	}
	for _, text := range []string{
		`{{ range until 1000 }}{{ (split "/" "a/b/c/d")._1 }}{{ (splitn "," 2 "a,b,c")._1 }}{{ end }}`,
		`{{ $m := dict }}{{ range until 1000 }}{{ $_ := set $m (print .) . }}{{ $m = merge $m (dict "a" 1) }}{{ end }}`,
		`{{ len (split "," (repeat 100000 "a,")) }}`,
	} {
		if err := evaluate(t, text, map[string]any{}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Every function that a template may call is bounded, whatever it is given.
func TestFunctionsAreBounded(t *testing.T) { //nolint:paralleltest // it measures memory
	context := map[string]any{"s": strings.Repeat("x ", 100_000), "t": "ab"}
	texts, lists := []string{".s", ".t", ".s", ".s"}, []string{"$x", "$m", "$n", ".s"}
	numbers := []string{"9007199254740991", "20000", "-20000", "9007199254740991"}
	mappings := []string{"$m", "(split `` .t)", "$m", "(dict `a` .s)"}
	for _, f := range append(template.Functions(), template.Function{Name: "len", Takes: []string{"any"}}, template.Function{Name: "index", Takes: []string{"any", "number"}},
		template.Function{Name: "slice", Takes: []string{"any", "number"}}, template.Function{Name: "and", Takes: []string{"any..."}}, template.Function{Name: "not", Takes: []string{"any"}}) {
		for kind := range texts {
			call := f.Name
			for _, takes := range f.Takes {
				one, many := strings.CutSuffix(takes, "...")
				arg := lists[kind]
				switch one {
				case "text":
					arg = texts[kind]
				case "number":
					arg = numbers[kind]
				case "mapping":
					arg = mappings[kind]
				case "true or false":
					arg = "true"
				}
				if call += " " + arg; many {
					call += " " + arg + " " + arg
				}
			}
			_ = evaluate(t, doubled+endless+"{{ $n := until 20000 }}{{ $r := "+call+" }}{{ $r }}", context) // an error is one way to be bounded
		}
	}
}

// Ordinary calls are not refused.
func TestOrdinaryCallsPass(t *testing.T) {
	t.Parallel()
	context := map[string]any{"big": strings.Repeat("x", 200_000), "list": []any{"a", map[string]any{"b": []any{1, 2}}}}
	for text, want := range map[string]int{
		`{{ printf "%s and %s and %[1]s" .big "b" }}`:        400_011,
		`{{ printf "%-20s|%5d%%" "a" 5 }}`:                   27,
		`{{ join ", " (until 90000) | len }}`:                6,
		`{{ toPrettyJson .list }}`:                           52,
		`{{ printf "%d" (until 90000) | len }}`:              6,
		`{{ indent 4 "a\nb" }}`:                              11,
		`{{ nindent 2 "" }}`:                                 3,
		`{{ untilStep 10 0 -5 }}x`:                           7,
		`{{ .list }}x{{ range .list }}{{ . }}{{ end }}`:      30,
		`{{ has "a" .list }}{{ deepEqual .list (list 1) }}x`: 10,
	} {
		parsed, err := template.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := parsed.Execute(context); err != nil || len(got) != want {
			t.Errorf("%s: %d bytes, %.60q, %v; want %d", text, len(got), got, err, want)
		}
	}
}
