package skill

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"belay/internal/workspace/dir"
)

// Read reads a file of a skill, at most most bytes: file is a path below the skill's folder,
// with slashes; "" is its SKILL.md. No link is followed. The error says to a model what is
// wrong.
func (f Folders) Read(s Skill, file string, most int) ([]byte, error) {
	file = cmp.Or(file, fileName)
	if !fs.ValidPath(file) || file == "." || strings.ContainsAny(file, "\\\x00") || !namePattern.MatchString(s.Name) {
		return nil, fmt.Errorf("%q is not a path below the folder of the skill", file)
	}
	d, err := f.of(s).open()
	if err != nil {
		return nil, fmt.Errorf("the folder of skills %s", dir.Reason(err))
	}
	parts := append([]string{s.Name}, strings.Split(file, "/")...)
	last := len(parts) - 1
	for _, name := range parts[:last] {
		next, err := enter(d, name)
		d.Close()
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("the skill %s has no file %s", s.Name, file)
		case err != nil:
			return nil, fmt.Errorf("%s of the skill %s %s", printable(name), s.Name, dir.Reason(err))
		}
		d = next
	}
	defer d.Close()
	switch kind, size, _ := d.Stat(parts[last]); {
	case kind == dir.Missing:
		return nil, fmt.Errorf("the skill %s has no file %s", s.Name, file)
	case kind == dir.Link:
		return nil, fmt.Errorf("%s of the skill %s %w", file, s.Name, errLink)
	case kind != dir.File:
		return nil, fmt.Errorf("%s of the skill %s is not a file", file, s.Name)
	case size > int64(most):
		return nil, fmt.Errorf("%s of the skill %s has %d bytes; at most %d are read", file, s.Name, size, most)
	}
	data, err := d.Read(parts[last], nil, most)
	if err != nil {
		return nil, fmt.Errorf("%s of the skill %s cannot be read: %s", file, s.Name, dir.Reason(err))
	}
	return data, nil
}
