package chat

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"go.yaml.in/yaml/v4"

	"belay/internal/blank"
	"belay/internal/durable"
	"belay/internal/lazyregexp"
	"belay/internal/render"
)

// Limits of custom commands.
const (
	maxCustom     = 100
	maxCustomText = 32 << 10
)

var customName = lazyregexp.New(`^[a-z0-9][a-z0-9_-]{0,39}$`)

// argumentsMark is where in the text of a custom command what was typed after it goes.
const argumentsMark = "$ARGUMENTS"

// customCommands are the commands of the person's own: a file NAME.md in the folder is the text of
// a message, which /NAME puts into the editor. problems says of each file that cannot be one why,
// and what to do. A folder that is not there has none; so has "".
func customCommands(folder string) (all []slash, problems []string) {
	if folder == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []string{"the custom commands cannot be read: " + err.Error()}
	}
	taken := map[string]bool{}
	for _, c := range commands() {
		taken[c.name] = true
	}
	for other := range otherNames {
		taken[other] = true
	}
	for _, e := range entries {
		name, isText := strings.CutSuffix(e.Name(), ".md")
		path := filepath.Join(folder, e.Name())
		switch {
		case !isText || strings.HasPrefix(name, "."):
			continue
		case !customName.MatchString(name):
			problems = append(problems, render.Line(path)+" is no custom command; its name must have small letters, digits, - and _ only, at most 40")
			continue
		case taken[name]:
			problems = append(problems, fmt.Sprintf("%s is no custom command: /%s is a command of the chat; rename the file", render.Line(path), name))
			continue
		case len(all) == maxCustom:
			return all, append(problems, fmt.Sprintf("%s has more than %d custom commands; the others are left out", render.Line(folder), maxCustom))
		}
		text, does, err := customText(path)
		if err != nil {
			problems = append(problems, err.Error())
			continue
		}
		takes := ""
		if strings.Contains(text, argumentsMark) {
			takes = "TEXT"
		}
		all = append(all, slash{name: name, takes: takes, does: does, run: func(m *Model, rest string) tea.Cmd { return fill(m, path, rest) }})
	}
	return all, problems
}

// customText reads a custom command: its text, and one line that says what it is for. That is the
// description of the block of YAML at the beginning, else the first line of the text.
func customText(path string) (text, does string, err error) {
	data, _, err := durable.ReadFile(nil, path, maxCustomText)
	switch {
	case errors.Is(err, durable.ErrTooLarge):
		return "", "", fmt.Errorf("%s is no custom command: it is larger than %d KiB; save the text as a file of the project and name it with @", render.Line(path), maxCustomText>>10)
	case err != nil:
		return "", "", fmt.Errorf("a custom command cannot be read: %w", err)
	case !utf8.Valid(data):
		return "", "", fmt.Errorf("%s is no custom command: it is not UTF-8; save it as that", render.Line(path))
	}
	text = strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		if block, body, ok := strings.Cut("\n"+rest, "\n---\n"); ok {
			var head struct{ Description string }
			if err := yaml.Unmarshal([]byte(block), &head); err != nil {
				return "", "", fmt.Errorf("%s is no custom command: the block between the lines of --- is not YAML: %w", render.Line(path), err)
			}
			text, does = body, head.Description
		}
	}
	text = strings.Trim(text, "\n \t")
	if blank.Is(text) {
		return "", "", fmt.Errorf("%s is no custom command: it has no text; write the message into it", render.Line(path))
	}
	if blank.Is(does) {
		does, _, _ = strings.Cut(text, "\n")
		does = strings.TrimLeft(does, "# ")
	}
	return text, render.Glance(does, titleColumns), nil
}

// fill puts the text of a custom command into the editor, as the file has it now. Nothing is sent:
// the person sees the message first, and Enter sends it.
func fill(m *Model, path, rest string) tea.Cmd {
	text, _, err := customText(path)
	switch {
	case err != nil:
		m.conversation.notify(noticeWarning, err.Error())
		return nil
	case strings.Contains(text, argumentsMark):
		text = strings.ReplaceAll(text, argumentsMark, rest)
	case rest != "":
		text += "\n\n" + rest
	}
	m.editor.give(text)
	return nil
}
