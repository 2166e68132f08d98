package render

import (
	"encoding/json"
	"path"
	"strings"

	"belay/internal/event"
	"belay/internal/quantity"
)

// Call says in a few words what a call does, from its input. Paths are shortened for
// so many columns.
func Call(l *Look, call event.ToolUse, room int) string {
	var in map[string]any
	if json.Unmarshal(call.Input, &in) != nil {
		return ""
	}
	text := func(key string) string {
		s, _ := in[key].(string)
		return Line(Visible(Glance(s, 100)))
	}
	switch call.Name {
	case "bash":
		what := text("command")
		if whole, _ := in["command"].(string); strings.Contains(strings.TrimSpace(whole), "\n") {
			first, rest, _ := strings.Cut(strings.TrimSpace(whole), "\n")
			what = Line(Visible(Glance(first, 100))) + " (and " + quantity.Count(1+strings.Count(rest, "\n"), "more line", "more lines") + ")"
		}
		if dir := text("dir"); dir != "" && path.Clean(dir) != "." {
			what += " (in " + dir + ")"
		}
		return what
	case "grep", "glob":
		what, where := text("pattern"), text("path")
		if where == "" {
			return what
		}
		return what + " in " + l.Shorten(where, max(room/2, room-l.Cells(what)-len(" in ")))
	case "attachment.add":
		paths, _ := in["paths"].([]any)
		if len(paths) == 1 {
			in["path"] = paths[0]
		} else if len(paths) > 1 {
			return quantity.Count(len(paths), "file", "files")
		}
	case "attachment.download":
		if dir := text("downloadDir"); dir != "" {
			return "to " + l.Shorten(dir, room-len("to "))
		}
		return ""
	case "project.propose":
		rows, _ := in["rows"].([]any)
		return quantity.Count(len(rows), "row", "rows") + " for " + text("deliverable")
	case "project.status":
		if to := text("to"); to != "" {
			return l.Shorten(text("deliverable"), room-l.Cells(to)-len(" to ")) + " to " + to
		}
	}
	for _, key := range []string{"path", "file_path", "deliverable"} {
		if s := text(key); s != "" {
			return l.Shorten(s, room)
		}
	}
	for _, key := range []string{"url", "command", "query", "pattern", "persona", "task", "message"} {
		if s := text(key); s != "" {
			return s
		}
	}
	if len(in) == 0 {
		return ""
	}
	return Line(Visible(Glance(string(call.Input), 100)))
}

// Glance bounds what is looked at of a line that may be megabytes long.
func Glance(s string, width int) string {
	return s[:WholeRunes(s, 16*width+16)]
}
