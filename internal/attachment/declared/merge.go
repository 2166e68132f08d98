package declared

import (
	"cmp"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// Merge joins the attachments of task, agent and action, in this order. What is
// the same thing, one type at one place, stands where it came first; a later name,
// type hint and number of pages replace the earlier, and meta is joined key by
// key, the later value winning. What one of them needs is needed.
func (f *Folder) Merge(lists ...[]*Attachment) []*Attachment {
	at := map[string]int{}
	folders := realFolders{}
	var all []*Attachment
	for _, list := range lists {
		for _, a := range list {
			key := string(a.Type) + " " + f.key(a.Source, folders)
			i, ok := at[key]
			if !ok {
				at[key] = len(all)
				all = append(all, a)
				continue
			}
			all[i] = join(all[i], a)
		}
	}
	return all
}

// join is later, as far as it says something, over earlier. Neither is changed.
func join(earlier, later *Attachment) *Attachment {
	c := *later
	c.Name, c.MIME = cmp.Or(c.Name, earlier.Name), cmp.Or(c.MIME, earlier.MIME)
	c.MaxPages = cmp.Or(c.MaxPages, earlier.MaxPages)
	if len(earlier.Meta) > 0 {
		c.Meta = maps.Clone(earlier.Meta)
		maps.Copy(c.Meta, later.Meta)
	}
	c.Optional = c.Optional && earlier.Optional
	c.Source = earlier.Source
	return &c
}

// realFolders are folders by their names, links resolved; each is looked at once.
type realFolders map[string]string

func (r realFolders) of(dir string) string {
	real, ok := r[dir]
	if !ok {
		var err error
		if real, err = filepath.EvalSymlinks(dir); err != nil {
			real = dir // it is not there: the opening of the file says so
		}
		r[dir] = real
	}
	return real
}

// key is the same for what is the same: a file under whatever name, an address
// however it is written.
func (f *Folder) key(s Source, folders realFolders) string {
	if s.URL != "" {
		return canonical(s.URL)
	}
	if f = f.of(s); f == nil {
		return s.Path
	}
	full := filepath.Join(f.dir, filepath.FromSlash(s.Path))
	if !s.regular {
		if real, err := filepath.EvalSymlinks(full); err == nil {
			return real
		}
	}
	return filepath.Join(folders.of(filepath.Dir(full)), filepath.Base(full))
}

// canonical is an address without what makes no difference: the case of scheme
// and host, a default port, dot segments, and the fragment, which no server sees.
// Credentials stay: two users may see two things.
func canonical(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return s
	}
	c := *u
	c.Scheme, c.Fragment, c.RawFragment = strings.ToLower(u.Scheme), "", ""
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if c.Scheme == "http" && port == "80" || c.Scheme == "https" && port == "443" {
		port = ""
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if c.Host = host; port != "" {
		c.Host += ":" + port
	}
	if p := path.Clean("/" + u.Path); p != u.Path && u.RawPath == "" {
		if strings.HasSuffix(u.Path, "/") && p != "/" {
			p += "/"
		}
		c.Path = p
	}
	return c.String()
}
