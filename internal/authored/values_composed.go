package authored

// ListOf is a list.
type ListOf struct {
	Each Value
	// Least is how many entries there must be.
	Least int
}

// Check implements [Value].
func (v ListOf) Check(r *Report, n *Node, path string) bool {
	if n.Kind != List {
		r.Add(n, path, "begin each entry with a dash", "it must be a list, and this is %s", n.Kind)
		return false
	}
	if len(n.Items) < v.Least {
		r.Add(n, path, "", "the list is empty")
		return false
	}
	for i, c := range n.Items {
		if !v.Each.Check(r, c, At(path, i)) {
			r.refuse(c)
		}
	}
	return true
}

// MapOf is a mapping with names of the author's choice, and at least one of them.
type MapOf struct{ Each Value }

// Check implements [Value].
func (v MapOf) Check(r *Report, n *Node, path string) bool {
	if n.Kind != Map || len(n.Fields) == 0 {
		r.Add(n, path, "", "it must be a mapping with at least one entry, and this is %s", n.Kind)
		return false
	}
	for _, f := range n.Fields {
		if !v.Each.Check(r, f.Value, join(path, f.Name)) {
			r.refuse(f.Value)
		}
	}
	return true
}

// Either is a mapping, or something in short.
type Either struct{ Short, Mapping Value }

// Check implements [Value].
func (v Either) Check(r *Report, n *Node, path string) bool {
	if n.Kind == Map {
		return v.Mapping.Check(r, n, path)
	}
	if !n.isScalar() {
		r.Add(n, path, "", "it must be text or a mapping, and this is %s", n.Kind)
		return false
	}
	return v.Short.Check(r, n, path)
}
