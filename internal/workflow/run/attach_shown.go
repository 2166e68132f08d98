package run

import (
	"belay/internal/attachment/declared"
	"belay/internal/attachment/download"
	"belay/internal/attachment/gather"
	"belay/internal/template"
	"belay/internal/workflow/definition"
)

// showsAttachments reports whether a task's prompt or instructions look at .attachments.
func showsAttachments(t *definition.Task) bool {
	uses := func(text *template.Template) bool { return text.Sees("attachments") }
	return uses(t.Prompt) || uses(t.Agent.Instructions) || t.Action != nil && uses(t.Action.Prompt)
}

// listed are the attachments of a task as its own templates see them, before they are
// opened: .attachments.
func listed(list []*declared.Attachment) []any {
	all, labels := make([]any, len(list)), gather.Labels(list)
	for i, a := range list {
		origin := a.Source.Path
		if a.Source.URL != "" {
			origin = download.Clean(a.Source.URL)
		}
		all[i] = seen(labels[i], string(a.Type), origin, a.Source.Base(), a.Meta)
	}
	return all
}

// reported are the attachments of a task as templates after it see them, those that
// were refused left out: .tasks.ID.attachments.
func reported(all []gather.Report) []any {
	shown := make([]any, 0, len(all))
	for _, r := range all {
		if r.Refused != "" {
			continue
		}
		v := seen(r.Name, string(r.Type), r.Origin, r.Base, r.Meta)
		v["mimeType"], v["bytes"], v["used"], v["note"] = r.MIME, r.Bytes, r.Used, r.Note
		shown = append(shown, v)
	}
	return shown
}

func seen(name, kind, origin, base string, meta map[string]any) map[string]any {
	if meta == nil {
		meta = map[string]any{}
	}
	return map[string]any{"name": name, "type": kind, "origin": origin, "base": base, "meta": template.Copy(meta)}
}
