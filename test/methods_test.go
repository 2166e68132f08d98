package test

import (
	"go/types"
	"slices"
	"strings"
	"testing"
)

// mostMethods is how many methods a type may have, promoted and unexported ones
// included.
const mostMethods = 40

// overgrown are types that still have more. The methods of session.Time are those of time.Time.
var overgrown = []string{
	"internal/session.Time",
}

// A type that does many jobs is split by job.
func TestTypesAreSmall(t *testing.T) {
	t.Parallel()
	var large []string
	all, err := sources()
	must(t, err)
	for _, p := range all {
		for _, name := range p.Scope().Names() {
			if n := methodsOf(p.Scope().Lookup(name)); n > mostMethods {
				large = append(large, strings.TrimPrefix(p.Path(), module+"/")+"."+name)
				if !slices.Contains(overgrown, large[len(large)-1]) {
					t.Errorf("%s has %d methods, more than %d: split it by job", large[len(large)-1], n, mostMethods)
				}
			}
		}
	}
	for _, name := range overgrown {
		if !slices.Contains(large, name) {
			t.Errorf("%s is small enough now: remove it from the list", name)
		}
	}
}

// methodsOf is the number of methods of a type or of its pointer, 0 for any other object.
func methodsOf(o types.Object) int {
	name, ok := o.(*types.TypeName)
	if !ok || name.IsAlias() {
		return 0
	}
	n := types.NewMethodSet(name.Type()).Len()
	if types.IsInterface(name.Type()) {
		return n
	}
	return max(n, types.NewMethodSet(types.NewPointer(name.Type())).Len())
}

func TestMethodsAreCounted(t *testing.T) {
	t.Parallel()
	if !slices.IsSorted(overgrown) {
		t.Error("the list is not sorted")
	}
	outer := types.NewPackage("p", "p")
	method := func(recv *types.Named, name string) {
		r := types.NewVar(0, outer, "", types.NewPointer(recv))
		recv.AddMethod(types.NewFunc(0, outer, name, types.NewSignatureType(r, nil, nil, nil, nil, false)))
	}
	inner := types.NewNamed(types.NewTypeName(0, outer, "inner", nil), types.NewStruct(nil, nil), nil)
	method(inner, "promoted")
	embeds := types.NewStruct([]*types.Var{types.NewField(0, outer, "inner", types.NewPointer(inner), true)}, nil)
	whole := types.NewNamed(types.NewTypeName(0, outer, "whole", nil), embeds, nil)
	method(whole, "own")
	if n := methodsOf(whole.Obj()); n != 2 {
		t.Errorf("%d methods, want the own one and the promoted one", n)
	}
}
