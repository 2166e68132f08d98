package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"belay/internal/chat"
)

// errLeave ends a chat.
var errLeave = errors.New("leave")

// elsewhere are the commands of a chat on a screen that have one of their own.
var elsewhere = map[string]string{
	"changes": "belay session changes", "undo": "belay session undo", "fork": "belay session fork",
	"session": "belay session list", "status": "belay session show", "copy": "belay session transcript",
	"rename": "belay session rename", "skills": "belay skill list",
}

// sessionless are those of them that are not about the session.
var sessionless = []string{"session", "skills"}

// plainHelp is what a line can be.
const plainHelp = `every line is a turn, but for
  /attach PATH    send a file with the next line, as @PATH in the line does
  /drop [PATH]    take it back, or everything
  /mode MODE      how much may be done without asking
  /model NAME     the model of the next turns
  /persona NAME   whom the next turns go to
  /compact [WHAT] free the model's context: a summary takes the place of all turns so far
  /new            begin a new session
  /quit           leave
`

// command carries out a line that begins with a slash, if that works without
// a screen.
func (p *plainChat) command(ctx context.Context, name, rest string) error {
	switch name {
	case "help":
		_, _ = p.c.err.Write([]byte(plainHelp)) // the sink keeps its first error
		return nil
	case "quit":
		return errLeave
	case "new":
		p.o.Session = ""
		return nil
	case "compact":
		if p.o.Session == "" {
			return usageHint("say something first", "nothing was said yet that could be summarised")
		}
		rest = cmp.Or(rest, chat.CompactWish)
		p.o.Opts.Compact = true
		defer func() { p.o.Opts.Compact = false }()
		return p.turn(ctx, rest, nil)
	case "attach":
		path, err := chat.Attachable(p.o.Folder, strings.Trim(rest, `"`))
		if err == nil {
			err = p.o.Usable(ctx, p.o.Session, path)
		}
		if err != nil {
			return failed(ExitUsage, "name a file, from "+p.o.Folder+" or by its whole path", err)
		}
		p.o.Attach = append(p.o.Attach, path)
		return nil
	case "drop":
		return p.drop(strings.Trim(rest, `"`))
	case "mode":
		if !slices.Contains(chat.Modes(), rest) {
			return usageHint("the modes are "+strings.Join(chat.Modes(), ", "), "%q is no mode", rest)
		}
		p.o.Opts.Mode = rest
		return nil
	case "model":
		if rest == "" {
			return usageHint("write /model NAME", "no model is named")
		}
		p.o.Opts.Model = rest
		return nil
	case "persona":
		if rest == "" {
			return usageHint("write /persona NAME", "no persona is named")
		}
		if err := knownPersona(ctx, p.o.Engine, rest); err != nil {
			return err
		}
		p.o.Opts.Persona = rest
		return nil
	}
	if other := elsewhere[name]; other != "" {
		switch {
		case slices.Contains(sessionless, name):
		case p.o.Session == "":
			return usageHint("say something first", "nothing was said yet, and /%s is about a session", name)
		default:
			other += " " + p.o.Session
		}
		if name == "rename" {
			other += " TITLE"
		}
		return usageHint("run "+other, "/%s needs a screen", name)
	}
	if chat.OnScreen(&p.o, name) {
		return usageHint("run belay chat on a terminal, or write the message itself", "/%s needs a screen", name)
	}
	return usageHint("/help lists them; to say it to the agent, begin the line otherwise", "there is no command /%s", name)
}

// drop takes back a file that was to go with the next line, or all of them.
func (p *plainChat) drop(written string) error {
	if written == "" {
		p.o.Attach = nil
		return nil
	}
	path, _ := chat.Attachable(p.o.Folder, written) // it may be gone, which is a reason to drop it
	rest := slices.DeleteFunc(slices.Clone(p.o.Attach), func(f string) bool { return f == path || f == written })
	if len(rest) == len(p.o.Attach) {
		return usageHint("name it as it was attached; /drop alone takes back all files", "no file %s is attached", line(written))
	}
	p.o.Attach = rest
	return nil
}

func usageHint(hint, format string, args ...any) error {
	return failed(ExitUsage, hint, fmt.Errorf(format, args...))
}
