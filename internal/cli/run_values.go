package cli

import (
	"cmp"
	"fmt"
	"strings"

	"belay/internal/plainjson"
	"belay/internal/workflow/run"
)

// maxItem is how much of an item is shown, in columns.
const maxItem = 40

// brief is a value in a few words.
func brief(v any) string {
	if s, ok := v.(string); ok {
		return clip(line(s), maxItem)
	}
	data, err := plainjson.Marshal(v)
	if err != nil {
		return ""
	}
	return clip(line(string(data)), maxItem)
}

// printValues prints results for people: short ones as labelled lines, and below
// them each long one under its name.
func printValues(c *console, values map[string]any) {
	var pairs, long []string
	for _, name := range keys(values) {
		text := readable(values[name])
		if strings.Contains(text, "\n") || cells(text) > maxListed/2 {
			long = append(long, name, text)
			continue
		}
		text = cmp.Or(text, "–")
		pairs = append(pairs, line(name), text)
	}
	c.fields(pairs...)
	for i := 0; i+1 < len(long); i += 2 {
		if i > 0 || len(pairs) > 0 {
			c.write("\n")
		}
		c.write("── " + line(long[i]) + "\n")
		c.outline(long[i+1])
	}
}

// outline prints text whose lines are indented, and keeps them so where they wrap.
func (c *console) outline(text string) {
	for l := range strings.SplitSeq(clean(text), "\n") {
		rest := strings.TrimLeft(l, " ")
		indent := len(l) - len(rest)
		if strings.HasPrefix(rest, "- ") {
			indent += len("- ")
		}
		c.write(hang(l, c.width, indent) + "\n")
	}
}

// readable is a result as text, laid out as an outline: an answer in words is those
// words, and what a task within another gave is what it gave.
func readable(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return strings.TrimRight(v, "\n")
	case map[string]any:
		if text, ok := v["response"].(string); ok && len(v) == 1 {
			return strings.TrimRight(text, "\n")
		}
		if output, ok := v["output"]; ok && v["status"] == string(run.Success) && len(v) == 2 {
			return readable(output)
		}
		lines := make([]string, 0, len(v))
		for _, name := range keys(v) {
			lines = append(lines, entry(name+":", readable(v[name])))
		}
		return strings.Join(lines, "\n")
	case []any:
		lines := make([]string, 0, len(v))
		for _, item := range v {
			lines = append(lines, "- "+indented(readable(item)))
		}
		return strings.Join(lines, "\n")
	}
	data, err := plainjson.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(data)
}

// entry is a value after its name, below it where it has several lines.
func entry(name, text string) string {
	switch {
	case text == "":
		return name + " –"
	case strings.Contains(text, "\n"):
		return name + "\n  " + indented(text)
	}
	return name + " " + text
}

func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }
