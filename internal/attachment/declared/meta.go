package declared

import (
	"belay/internal/authored"
	"belay/internal/template"
)

// meta is a value of an entry's meta: a text is a template, at any depth.
type meta struct {
	text   *template.Template
	value  any // of anything else that is no list and no mapping
	items  []*meta
	list   bool
	fields []metaField
	isMap  bool
	path   string
}

type metaField struct {
	name  string
	value *meta
}

func (d *decoder) meta(n *authored.Node, path string) *meta {
	m := &meta{path: path}
	switch n.Kind {
	case authored.Text:
		t, err := template.Parse(n.Text)
		if err != nil {
			d.report.Add(n, path, "", "%v", err)
			m.value = n.Text
			return m
		}
		m.text = t
	case authored.List:
		m.list = true
		for i, c := range n.Items {
			m.items = append(m.items, d.meta(c, authored.At(path, i)))
		}
	case authored.Map:
		m.isMap = true
		for _, f := range n.Fields {
			m.fields = append(m.fields, metaField{f.Name, d.meta(f.Value, path+"."+f.Name)})
		}
	case authored.Null, authored.Bool, authored.Int, authored.Float:
		m.value = n.Value()
	}
	return m
}

// evaluate makes the value, anew each time: no two attachments share one.
func (m *meta) evaluate(context map[string]any) (any, error) {
	switch {
	case m.text != nil:
		v, err := m.text.Value(context)
		if err != nil {
			return nil, &EvaluationError{Path: m.path, Err: err}
		}
		return template.Copy(v), nil
	case m.list:
		all := make([]any, len(m.items))
		for i, c := range m.items {
			v, err := c.evaluate(context)
			if err != nil {
				return nil, err
			}
			all[i] = v
		}
		return all, nil
	case m.isMap:
		all := make(map[string]any, len(m.fields))
		for _, f := range m.fields {
			v, err := f.value.evaluate(context)
			if err != nil {
				return nil, err
			}
			all[f.name] = v
		}
		return all, nil
	}
	return m.value, nil
}

// templates calls see for each template in m.
func (m *meta) templates(see func(*template.Template)) {
	if m == nil {
		return
	}
	if m.text != nil {
		see(m.text)
	}
	for _, c := range m.items {
		c.templates(see)
	}
	for _, f := range m.fields {
		f.value.templates(see)
	}
}
