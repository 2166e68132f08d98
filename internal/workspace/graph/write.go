package graph

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"belay/internal/workspace/finding"
)

// drawn are the dependencies that a picture shows: those between deliverables
// that are about execution.
func (g *Graph) drawn(yield func(e Edge)) {
	for i := range g.deps {
		if g.deps[i].Class == classExecution && g.from[i] >= 0 && g.to[i] >= 0 {
			yield(g.edge(i))
		}
	}
}

// WriteMermaid writes the deliverables and what is between them as a Mermaid
// flowchart; what blocks is a thick arrow.
func (g *Graph) WriteMermaid(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "flowchart LR")
	for i, n := range g.nodes {
		fmt.Fprintf(b, "  n%d[\"%s\"]\n", i, mermaid(label(n)))
	}
	g.drawn(func(e Edge) {
		arrow := "-->"
		if e.Blocking {
			arrow = "==>"
		}
		fmt.Fprintf(b, "  n%d %s|%s| n%d\n", g.byID[e.From], arrow, mermaid(e.Type), g.byID[e.To])
	})
	return b.Flush()
}

func label(n Node) string {
	if n.Name == "" {
		return n.ID
	}
	return n.ID + " " + n.Name
}

// mermaid is text as it may be in a quoted label: entities for what would end
// it or be taken for markup.
func mermaid(text string) string {
	return strings.NewReplacer(`"`, "#quot;", "<", "#lt;", ">", "#gt;", "|", "#124;", "#", "#35;").Replace(finding.Printable(text))
}

// WriteDOT writes the same as a Graphviz digraph.
func (g *Graph) WriteDOT(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "digraph dependencies {")
	fmt.Fprintln(b, "  rankdir=LR;\n  node [shape=box];")
	for _, n := range g.nodes {
		fmt.Fprintf(b, "  %s [label=%s];\n", dot(n.ID), dot(label(n)))
	}
	g.drawn(func(e Edge) {
		style := ""
		if e.Blocking {
			style = " style=bold"
		}
		fmt.Fprintf(b, "  %s -> %s [label=%s%s];\n", dot(e.From), dot(e.To), dot(e.Type), style)
	})
	fmt.Fprintln(b, "}")
	return b.Flush()
}

// dot is a quoted Graphviz id.
func dot(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(finding.Printable(text)) + `"`
}

// graphML is a GraphML document.
type graphML struct {
	XMLName xml.Name `xml:"http://graphml.graphdrawing.org/xmlns graphml"`
	Keys    []mlKey  `xml:"key"`
	Graph   mlGraph  `xml:"graph"`
}

type mlKey struct {
	ID   string `xml:"id,attr"`
	For  string `xml:"for,attr"`
	Name string `xml:"attr.name,attr"`
	Type string `xml:"attr.type,attr"`
}

type mlGraph struct {
	ID          string   `xml:"id,attr"`
	EdgeDefault string   `xml:"edgedefault,attr"`
	Nodes       []mlNode `xml:"node"`
	Edges       []mlEdge `xml:"edge"`
}

type mlNode struct {
	ID   string   `xml:"id,attr"`
	Data []mlData `xml:"data"`
}

type mlEdge struct {
	Source string   `xml:"source,attr"`
	Target string   `xml:"target,attr"`
	Data   []mlData `xml:"data"`
}

type mlData struct {
	Key   string `xml:"key,attr"`
	Value string `xml:",chardata"`
}

// WriteGraphML writes the same as GraphML.
func (g *Graph) WriteGraphML(w io.Writer) error {
	doc := graphML{
		Keys: []mlKey{
			{"name", "node", "name", "string"}, {"pkg", "node", "pkg", "string"}, {"state", "node", "state", "string"},
			{"id", "edge", "dependencyId", "string"}, {"type", "edge", "type", "string"}, {"blocking", "edge", "blocking", "boolean"},
		},
		Graph: mlGraph{ID: "dependencies", EdgeDefault: "directed"},
	}
	for _, n := range g.nodes {
		doc.Graph.Nodes = append(doc.Graph.Nodes, mlNode{n.ID, []mlData{{"name", n.Name}, {"pkg", n.Package}, {"state", n.State}}})
	}
	g.drawn(func(e Edge) {
		doc.Graph.Edges = append(doc.Graph.Edges, mlEdge{e.From, e.To, []mlData{{"id", e.ID}, {"type", e.Type}, {"blocking", fmt.Sprint(e.Blocking)}}})
	})
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
