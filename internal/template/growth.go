package template

import (
	"fmt"
	"reflect"
	"strings"
)

// weighs are the functions that make text or a copy of what they are given.
var weighs = map[string]bool{
	"print": true, "println": true, "printf": true, "html": true, "js": true, "urlquery": true, "cat": true, "join": true, "quote": true, "squote": true,
	"toString": true, "toStrings": true, "toDecimal": true, "sortAlpha": true, "toJson": true, "toPrettyJson": true, "toRawJson": true,
	"mustToJson": true, "mustToPrettyJson": true, "mustToRawJson": true, "deepCopy": true, "mustDeepCopy": true,
	"merge": true, "mergeOverwrite": true, "mustMerge": true, "mustMergeOverwrite": true,
}

// growth are the functions whose result may be much more than their arguments together, and
// those that go down into them. Each is checked before the call: the result may be more than
// the memory holds.
var growth = map[string]func(args []reflect.Value) error{
	"repeat":                     func(a []reflect.Value) error { return product("repeat", number(a[0]), length(a[1])) },
	"indent":                     func(a []reflect.Value) error { return product("indent", number(a[0])+1, length(a[1])+1) },
	"nindent":                    func(a []reflect.Value) error { return product("nindent", number(a[0])+1, length(a[1])+1) },
	"replace":                    func(a []reflect.Value) error { return product("replace", length(a[1])+1, length(a[2])+1) },
	"regexReplaceAll":            regexGrowth,
	"mustRegexReplaceAll":        regexGrowth,
	"regexReplaceAllLiteral":     regexGrowth,
	"mustRegexReplaceAllLiteral": regexGrowth,
	"wrapWith":                   func(a []reflect.Value) error { return product("wrapWith", length(a[1])+1, length(a[2])) },
	"join":                       func(a []reflect.Value) error { return product("join", length(a[0]), int64(entries(a[1]))) },
	"printf":                     printfGrowth,
	"toPrettyJson":               prettyGrowth,
	"mustToPrettyJson":           prettyGrowth,
	"concat":                     func(a []reflect.Value) error { return together("concat", a) },
	"keys":                       func(a []reflect.Value) error { return together("keys", a) },
	"dict":                       keyGrowth,
	"deepEqual":                  func(a []reflect.Value) error { return shallow("deepEqual", a) },
	"has":                        func(a []reflect.Value) error { return shallow("has", a) },
	"mustHas":                    func(a []reflect.Value) error { return shallow("mustHas", a) },
	"uniq":                       func(a []reflect.Value) error { return shallow("uniq", a) },
	"mustUniq":                   func(a []reflect.Value) error { return shallow("mustUniq", a) },
	"without":                    func(a []reflect.Value) error { return shallow("without", a) },
	"mustWithout":                func(a []reflect.Value) error { return shallow("mustWithout", a) },
	"slice":                      func(a []reflect.Value) error { return places("slice", a[1:]) },
	"mustSlice":                  func(a []reflect.Value) error { return places("mustSlice", a[1:]) },
	"semver":                     func(a []reflect.Value) error { return versions("semver", a) },
	"semverCompare":              func(a []reflect.Value) error { return versions("semverCompare", a) },
	"until":                      func(a []reflect.Value) error { return count("until", number(a[0])) },
	"untilStep": func(a []reflect.Value) error {
		start, end, step := number(a[0]), number(a[1]), number(a[2])
		if step == 0 {
			return &Error{Problem: "untilStep with a step of 0"}
		}
		// Beyond, the difference or the next number would run over, and the count never end.
		for _, n := range []int64{start, end, step} {
			if n > maxCounted || n < -maxCounted {
				return &Error{Problem: fmt.Sprintf("untilStep is given %d, which is too large to count with", n)}
			}
		}
		return count("untilStep", (end-start)/step)
	},
	"seq": func(a []reflect.Value) error {
		for _, n := range a {
			if err := count("seq", number(n)); err != nil {
				return err
			}
		}
		return nil
	},
}

// maxCounted is the largest number to count from or to.
const maxCounted = 1 << 53

// printfGrowth bounds what printf makes. A width holds for each entry of a list, and an
// argument that is named by its index may be written by each verb.
func printfGrowth(a []reflect.Value) error {
	format := bare(a[0]).String()
	w := weigher{left: MaxOutput}
	for _, arg := range a[1:] {
		if w.put(arg, 0); w.over() {
			return w.problem("printf")
		}
	}
	const (
		perByte  = 5  // of "% #x"
		perEntry = 66 // of "%b"
	)
	verbs := int64(strings.Count(format, "%"))
	uses := int64(1)
	if strings.Contains(format, "[") {
		uses = verbs
	}
	width, _ := widths(format)
	most := int64(MaxOutput) * 64
	if made := w.texts*perByte + w.entries*(perEntry+2*width); made > 0 && uses > (most-int64(len(format))-verbs*(perEntry+2*width))/made {
		return tooLong("printf")
	}
	return nil
}

// prettyGrowth bounds the indentation: each line has that of its depth.
func prettyGrowth(a []reflect.Value) error {
	w := weigher{left: MaxOutput}
	if w.put(a[0], 0); w.over() {
		return w.problem("toPrettyJson")
	}
	return product("toPrettyJson", w.entries, 2*int64(w.deepest+1))
}

// keyGrowth bounds the keys of a mapping, which are made texts.
func keyGrowth(a []reflect.Value) error {
	w := weigher{left: MaxOutput}
	for i := 0; i < len(a); i += 2 {
		if w.put(a[i], 0); w.over() {
			return w.problem("dict")
		}
	}
	return nil
}

// together bounds the entries of several lists or mappings.
func together(name string, lists []reflect.Value) error {
	left := int64(MaxOutput)
	for _, l := range lists {
		if left -= size(l) / element; left < 0 {
			return &Error{Problem: fmt.Sprintf("%s makes more than %d entries, the most that a template may make", name, MaxOutput)}
		}
	}
	return nil
}

// places refuses what cannot be a place in a list: the error of the function repeats the whole
// of it.
func places(name string, all []reflect.Value) error {
	for _, v := range all {
		if kind := kindIn(bare(v)); kind == KindList || kind == KindMapping {
			return noNumber(name, kind)
		}
	}
	return nil
}

// maxVersion is the longest text that is taken for a version or a range of them.
const maxVersion = 4 << 10

// versions refuses long texts, of which the parser makes hundreds of times as much.
func versions(name string, texts []reflect.Value) error {
	for _, v := range texts {
		if length(v) > maxVersion {
			return &Error{Problem: fmt.Sprintf("%s is given a text of %d bytes, more than %d, which is no version", name, length(v), maxVersion)}
		}
	}
	return nil
}

// shallow refuses values that are too deep to compare, whose comparison would take the
// whole stack.
func shallow(name string, values []reflect.Value) error {
	w := weigher{left: MaxOutput, shape: true}
	for _, v := range values {
		if w.put(v, 0); w.over() {
			return w.problem(name)
		}
	}
	return nil
}

func regexGrowth(a []reflect.Value) error {
	return product("regexReplaceAll", length(a[2])+1, length(a[1])+1)
}

func product(name string, a, b int64) error {
	if a > 0 && b > 0 && a > MaxOutput*16/b {
		return tooLong(name)
	}
	return nil
}

func count(name string, n int64) error {
	const most = MaxSteps
	if n > most || n < -most {
		return &Error{Problem: fmt.Sprintf("%s counts to %d, further than %d", name, n, most)}
	}
	return nil
}

func number(v reflect.Value) int64 {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.CanInt() {
		return v.Int()
	}
	return 0
}

func length(v reflect.Value) int64 {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() == reflect.String {
		return int64(v.Len())
	}
	return 0
}
