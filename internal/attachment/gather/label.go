package gather

import (
	"fmt"
	"net/url"
	"strings"

	"belay/internal/attachment"
	"belay/internal/attachment/declared"
	"belay/internal/attachment/download"
)

// Labels are what the attachments of a list are called, different things differently:
// the name that its author gave, or that of the file. Where that is not enough it is
// the path from the folder on, or the address; a name of several has it behind it.
func Labels(list []*declared.Attachment) []string {
	all := make([]string, len(list))
	for i, a := range list {
		all[i] = label(a, "")
	}
	for _, more := range []func(declared.Source) string{short, whole} {
		for i, several := range repeated(all, list) {
			if c := list[i]; several {
				all[i] = label(c, more(c.Source))
			}
		}
	}
	holders := map[string]string{}
	for i, name := range all {
		is := identity(list[i])
		for n := 2; holders[all[i]] != "" && holders[all[i]] != is; n++ {
			all[i] = fmt.Sprintf("%s (%d)", name, n)
		}
		holders[all[i]] = is
	}
	return all
}

// identity is the same for what is at the same place.
func identity(a *declared.Attachment) string {
	s := a.Source
	address, _, _ := strings.Cut(s.URL, "#")
	return fmt.Sprintf("%s %t %s", address, s.Project, s.Path)
}

// repeated says of each name whether something else has it, too.
func repeated(names []string, list []*declared.Attachment) []bool {
	first, several := map[string]string{}, map[string]bool{}
	for i, name := range names {
		is := identity(list[i])
		if other, taken := first[name]; taken && other != is {
			several[name] = true
		}
		first[name] = is
	}
	all := make([]bool, len(names))
	for i, name := range names {
		all[i] = several[name]
	}
	return all
}

// label is an attachment's name, with as much of its path as makes it unique.
func label(b *declared.Attachment, where string) string {
	name := strings.TrimSpace(b.Name)
	switch {
	case name != "" && where != "":
		return name + " (" + where + ")"
	case name != "":
		return name
	case where != "":
		return where
	}
	return short(b.Source)
}

// short is the last part of where something is.
func short(s declared.Source) string {
	if s.URL != "" {
		return download.NameOf(s.URL)
	}
	return attachment.DisplayName(s.Path)
}

// whole is where something is: a path from its folder on, an address without what it
// hides.
func whole(s declared.Source) string {
	u, err := url.Parse(s.URL)
	switch {
	case s.Project:
		return "project/" + s.Path
	case s.URL == "":
		return s.Path
	case err != nil:
		return short(s)
	}
	return u.Host + u.Path
}
