package template

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

// Functions of Sprig that look at the world (clocks, time zones, chance) or make
// keys and hashes of passwords; its own hermetic list leaves them in.
var notHermetic = []string{
	"ago", "toDate", "mustToDate", "unixEpoch", "must_date_modify", "mustDateModify",
	"randInt", "shuffle", "bcrypt", "htpasswd", "genPrivateKey", "derivePassword", "buildCustomCert",
	"genCA", "genCAWithKey", "genSelfSignedCert", "genSelfSignedCertWithKey", "genSignedCert", "genSignedCertWithKey",
	"encryptAES", "decryptAES", "hello",
}

// functions are those that a template may call, and the same without bounds. They are
// made when the first template is read.
var functions = sync.OnceValue(makeFunctions)

type functionMaps struct{ bounded, plain template.FuncMap }

// Function is something that a template may call.
type Function struct {
	Name string
	// Takes are the types of its arguments, the last with ... where there may be
	// several; Gives is that of its result.
	Takes []string
	Gives string
}

// Functions lists what a template may call beyond the language's own, by name, for
// the reference.
func Functions() []Function {
	all := make([]Function, 0, len(functionNames()))
	for _, name := range functionNames() {
		t := reflect.TypeOf(functions().plain[name])
		f := Function{Name: name, Gives: typeName(t.Out(0))}
		for i := range t.NumIn() {
			if t.IsVariadic() && i == t.NumIn()-1 {
				f.Takes = append(f.Takes, typeName(t.In(i).Elem())+"...")
				break
			}
			f.Takes = append(f.Takes, typeName(t.In(i)))
		}
		all = append(all, f)
	}
	return all
}

// typeName is what a type is called in the reference.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Interface, reflect.Pointer:
		return "any"
	case reflect.Slice, reflect.Array:
		return "list"
	case reflect.Map:
		return "mapping"
	}
	if t.ConvertibleTo(reflect.TypeFor[float64]()) {
		return "number"
	}
	return t.String()
}

// ownPrefix begins the names of functions that no author writes.
const ownPrefix = "belay_"

// functionNames are the names that an author may use, sorted.
var functionNames = sync.OnceValue(func() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(functions().bounded)), func(name string) bool { return strings.HasPrefix(name, ownPrefix) })
})

func makeFunctions() functionMaps {
	all := sprig.HermeticTxtFuncMap()
	for _, name := range notHermetic {
		delete(all, name)
	}
	// The language's own that make text.
	all["print"], all["println"], all["printf"] = fmt.Sprint, fmt.Sprintln, printf
	all["html"], all["js"], all["urlquery"] = template.HTMLEscaper, template.JSEscaper, template.URLQueryEscaper
	maps.Copy(all, comparisons)
	maps.Copy(all, numeric(all))
	all["fromJson"], all["mustFromJson"] = fromJSON, fromJSON
	plain := maps.Clone(all)
	for name, f := range all {
		all[name] = bounded(name, f, alone)
	}
	all[fieldName], all[maybeName], all[shownName] = field, maybe, shown
	all[valueName] = func(v any) any { return v }             // set for each evaluation
	all[stepName] = func() (string, error) { return "", nil } // set for each evaluation
	return functionMaps{bounded: all, plain: plain}
}

// unavailable are the functions of Sprig that are left out.
var unavailable = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for name := range sprig.TxtFuncMap() {
		if _, ok := functions().bounded[name]; !ok {
			out[name] = true
		}
	}
	return out
})
