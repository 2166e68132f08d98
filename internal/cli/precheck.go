package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"belay/internal/app"
	"belay/internal/attachment/download"
	"belay/internal/blank"
	"belay/internal/chat"
	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/nearest"
	"belay/internal/permit"
	"belay/internal/tool"
	"belay/internal/turn"
)

// What a command line says is checked before anything is sent. Over HTTP a refused
// file is left out with a warning and an unknown mode acts as direct, as clients of
// the original expect. A person who mistyped would pay for that, or hand over more
// control than they meant to.

// knownMode refuses a mode that there is not.
func knownMode(mode string) error {
	if mode == "" || slices.Contains(chat.Modes(), mode) {
		return nil
	}
	hint := "the modes are " + strings.Join(chat.Modes(), ", ")
	if meant := nearest.Of(mode, chat.Modes()); meant != "" {
		hint = "did you mean " + meant + "?"
	}
	return usageHint(hint, "--mode: %q is no permission mode", mode)
}

// notBlank refuses flags that were given without anything in them, as of a shell's
// variable that is not set: what they were to narrow would be as wide as ever.
func notBlank(cmd *cobra.Command) error {
	var errs []error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		isBlank := f.Value.Type() == "string" && blank.Is(f.Value.String())
		if list, ok := f.Value.(pflag.SliceValue); ok {
			isBlank = len(list.GetSlice()) == 0 || slices.ContainsFunc(list.GetSlice(), blank.Is)
		}
		if isBlank && !mayBeBlank[f.Name] {
			errs = append(errs, usageHint("leave it out, or give it a value", "--%s is empty", f.Name))
		}
	})
	return errors.Join(errs...)
}

// mayBeBlank are the flags that may be empty: --note and --cursor narrow nothing, and no --tools
// are none at all. An empty --attach and --delegate have refusals of their own.
var mayBeBlank = map[string]bool{"note": true, "cursor": true, "tools": true, "attach": true, "delegate": true}

// checksFlags marks commands that report empty flags with all else that is wrong.
const checksFlags = "checks flags"

// knownPersona refuses a persona that the engine does not have.
func knownPersona(ctx context.Context, e turn.Engine, name string) error {
	if blank.Is(name) {
		return nil
	}
	_, err := e.Persona(ctx, name)
	if fault.Is(err, fault.PersonaNotFound) {
		return failed(ExitUsage, "", err)
	}
	return err
}

// knownTools refuses tools that the engine does not have, in --tools and in the rules
// of --allow. A server that does not say which it has takes any.
func knownTools(ctx context.Context, e turn.Engine, wanted *[]string, rules []string) error {
	if wanted == nil && len(rules) == 0 {
		return nil
	}
	names, err := e.Tools(ctx)
	if err != nil || len(names) == 0 {
		return err
	}
	var errs []error
	if wanted != nil {
		for _, name := range *wanted {
			errs = append(errs, knownTool(name, names, "--tools: there is no tool %q", name))
		}
	}
	for _, text := range rules {
		r, err := permit.ParseRule(text)
		switch {
		case err != nil: // it was refused before
		case !turn.NamesTool(r, names):
			errs = append(errs, knownTool(r.Tool(), names, "--allow: rule %q: there is no tool %q", text, r.Tool()))
		default:
			if err := permit.CheckRule("permit.allow", text); err != nil {
				errs = append(errs, usage("--allow: %v", err))
			}
		}
	}
	return errors.Join(errs...)
}

// knownTool refuses a name that is none of those.
func knownTool(name string, names []string, format string, args ...any) error {
	if slices.ContainsFunc(names, func(n string) bool { return tool.Names(name, n) || tool.Names(n, strings.TrimSpace(name)) }) {
		return nil
	}
	hint := "there are " + strings.Join(names, ", ")
	if meant := nearest.Of(name, names); meant != "" {
		hint = "did you mean " + meant + "?"
	}
	return usageHint(hint, format, args...)
}

// knownModel refuses a model that the provider of this process certainly does not
// have.
func knownModel(a *app.App, name string) error {
	if owner := a.ModelOfAnother(name); owner != "" {
		return usageHint("choose the provider with --provider "+owner+", or another model", "--model: %q is a model of %s, and %s answers", name, owner, a.Config.Provider)
	}
	return nil
}

// attaching is what --attach names, and where it goes.
type attaching struct {
	// where is the session, or the project of a new one; neither where that is not
	// known.
	where turn.Upload
	files []string
	model string
	// upload is set where the engine is on another machine.
	upload bool
	// skip leaves out what is refused, with a warning.
	skip bool
	// warn is set where nothing else names the files that were left out: a turn has events.
	warn bool
}

// attachFiles returns the files that the engine takes: what has an address is
// fetched, what the engine cannot see is uploaded. They are judged as the turn will
// judge them; each one that it would refuse is a problem.
func attachFiles(ctx context.Context, c *console, cfg *config.Config, e turn.Engine, a attaching, wrong *problems) []attachedFile {
	if a.where.SessionID == "" && a.where.ProjectRoot == "" {
		wrong.add(onlyThere(a.files))
		return nil // where they would go is wrong as well
	}
	brought := fetchAddresses(ctx, c, cfg, e, a)
	for i := range brought {
		b := &brought[i]
		if b.err == nil && !b.fetched && a.upload {
			if b.path, b.err = upload(ctx, e, a.where, b.name); b.err == nil {
				c.note("uploaded", b.name)
			}
		}
	}
	if !a.skip || a.warn {
		wrong.add(inspected(ctx, e, a, brought, wrong.none()))
	}
	var usable []attachedFile
	for _, b := range brought {
		switch {
		case b.err == nil:
			usable = append(usable, b)
		case a.skip && isRefusal(b.err):
			c.warn(b.err.Error() + "; it is left out")
		default:
			wrong.add(b.err)
		}
	}
	return usable
}

// onlyThere refuses files that do not exist, of which no more can be said.
func onlyThere(files []string) error {
	var errs []error
	for _, name := range files {
		if _, err := os.Lstat(name); !isAddress(name) && err != nil {
			errs = append(errs, notUploaded(name, err))
		}
	}
	return errors.Join(errs...)
}

// inspected judges the files that are here and notes at each why it is refused.
// Without any, and where something is wrong already, it is the project that is judged.
func inspected(ctx context.Context, e turn.Engine, a attaching, brought []attachedFile, fine bool) error {
	r := turn.InspectRequest{Model: a.model, SessionID: a.where.SessionID, ProjectRoot: a.where.ProjectRoot}
	var at []int
	for i, b := range brought {
		if b.err == nil && b.path != "" { // a download that was not kept has none
			at, r.Attachments = append(at, i), append(r.Attachments, b.path)
		}
	}
	if len(at) == 0 && fine {
		return nil
	}
	found, err := e.Inspect(ctx, r)
	if err != nil && !a.upload {
		return errors.Join(err, onlyThere(a.files))
	}
	if err != nil || len(found) != len(at) {
		return err
	}
	for i, f := range found {
		b := &brought[at[i]]
		if !b.fetched && !a.upload {
			notThere(&f)
		}
		if !f.OK {
			b.err = refusedFile(b.name, f)
		}
	}
	return nil
}

// attachedFile is one file on its way to the engine.
type attachedFile struct {
	// name is as it was written, local its path on this machine, path as the engine
	// takes it.
	name, local, path string
	// fetched is set where it came from an address.
	fetched bool
	err     error
}

// skipHint is the next step after a file was refused.
const skipHint = "attach another file, or pass --skip-refused to send the message without those that are refused"

// refusedFile is the failure of a file that the turn would refuse.
func refusedFile(name string, f turn.Inspection) error {
	if isAddress(name) {
		name = download.Clean(name)
	} else {
		name = filepath.Base(name)
	}
	return failed(ExitUsage, skipHint, errors.New(withCode(fmt.Sprintf("the attachment %s is refused: %s", name, f.Reason), f.Code)))
}

// isRefusal reports whether a file is wrong, and not the way to the engine.
func isRefusal(err error) bool {
	own := (*failure)(nil)
	return errors.As(err, &own) && own.hint == skipHint
}
