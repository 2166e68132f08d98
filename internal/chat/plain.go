package chat

// What a chat without a screen shares with this one.

// Modes are the permission modes, in the order in which they are offered.
func Modes() []string { return modeNames() }

// Command takes a line apart that is a command, as in "/mode plan". A path such as
// /etc/hosts is none. Other names of a command are resolved; one that there is not is
// a command all the same.
func Command(line string) (name, rest string, ok bool) {
	name, rest, ok = command(nil, line)
	if other := otherNames[name]; other != "" {
		name = other
	}
	return name, rest, ok
}

// Mentioned are the files that a message names as @path, by their absolute paths.
// Relative ones begin in folder. Missed says what looks like a file and is none.
func Mentioned(folder, message string) (files, missedFiles []string) {
	p := newPaths(folder)
	for _, f := range mentioned(message, p) {
		files = append(files, p.resolve(f))
	}
	return files, missed(message, p)
}

// Attachable is the absolute path of a file that a person named, or why it cannot be
// attached.
func Attachable(folder, written string) (string, error) {
	p := newPaths(folder)
	return p.resolve(written), p.attachable(written)
}

// OnScreen reports whether a chat on a screen has a command of a name: one of its own, one that
// the person has made, or that of a skill.
func OnScreen(o *Options, name string) bool {
	named, _ := namedCommands(o.Commands)
	return isNamed(withSkills(named, skillsOf(o).Skills), name)
}
