package app

import (
	"context"
	"fmt"
	"strings"

	"belay/internal/config"
	"belay/internal/fault"
	"belay/internal/permit"
)

// allowSetting has the rules of calls that nobody is asked about.
const allowSetting = "permit.allow"

// AlwaysAllow adds rules to permit.allow in the person's own file, where comments stay, and
// to those that hold in this process: they count from the next call on, in running turns as
// well. The file comes first: a rule that is not kept does not hold. shadowed says what
// keeps other processes from using the file's rules, "" for nothing.
func AlwaysAllow(ctx context.Context, a *App, o config.Options, rules []permit.Rule) (shadowed string, err error) {
	texts := make([]string, len(rules))
	for i, r := range rules {
		texts[i] = r.String()
	}
	path, problems, err := config.Append(ctx, o, allowSetting, texts...)
	if err != nil {
		return "", fmt.Errorf("write the rule: %w", err)
	}
	if len(problems) > 0 {
		return "", fault.New(fault.InvalidRequest, "the rule is not written to %s: %s", path, problems[0].String())
	}
	a.added.Add(rules...)
	cfg, _ := config.Examine(o)
	for _, row := range cfg.Show() {
		if row.Key == allowSetting && !strings.HasPrefix(row.Origin, path) {
			shadowed = row.Origin + " sets " + allowSetting + ", so the rules of the file do not count beside it"
		}
	}
	return shadowed, nil
}
