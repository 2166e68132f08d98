package permit

import (
	"fmt"
	"slices"
	"strings"
)

// Settings of rules that [CheckRule] knows more about.
const (
	askBeforeSetting = "permit.ask_before"
	outsideSetting   = "permit.outside"
	denySetting      = "permit.deny"
	hooksSetting     = "hooks"
)

// CheckRule says what is wrong with a rule of a setting: its form, and that it can match
// no call. Such a denial would deny nothing, and nobody would notice.
func CheckRule(setting, text string) error {
	r, err := ParseRule(text)
	if err != nil {
		return err
	}
	switch {
	case setting == askBeforeSetting && strings.HasPrefix(r.tool, delegatePrefix):
		return r.vain("a delegation is not asked about before it begins", "refuse it with permit.deny")
	case setting == outsideSetting && !r.Names(commandTool) && !r.Names(writeTool):
		return r.vain("only commands run outside the sandbox", "write bash, as in bash(git push *)")
	}
	if !r.bounded || !r.Names(commandTool) {
		return nil
	}
	if why, next := r.matchesItself(slices.Contains([]string{denySetting, askBeforeSetting, hooksSetting}, setting)); why != "" {
		return r.vain(why, next)
	}
	return nil
}

// matchesItself compares a pattern for commands with the command that it spells, and says why
// it cannot match and what to write instead. Denials and questions also count where a match
// is only possible.
func (r Rule) matchesItself(possibly bool) (why, next string) {
	if r.words[0] == "" {
		return "its first word is empty, and no program has an empty name", "begin with the program"
	}
	_, pattern, _ := strings.Cut(r.text, "(")
	cmds, _, err := ParseCommand(spelled(strings.TrimSuffix(pattern, ")")))
	if err != nil {
		return "it is no command of the shell", `put quotes around what stands for itself, as in bash(grep "a|b" *)`
	}
	least := certain
	if possibly {
		least = possible
	}
	wrapper := ""
	for _, c := range cmds {
		if r.command(c, possibly) < least {
			continue
		}
		if !c.Wraps || possibly {
			return "", ""
		}
		wrapper = c.Name
	}
	parts := slices.DeleteFunc(cmds, func(c Command) bool { return c.Wraps })
	switch {
	case wrapper != "":
		return wrapper + " only runs another command, and that one is judged", "name that one instead"
	case len(parts) > 1:
		return fmt.Sprintf("it is %d commands (redirections and variables are some, too), and each is judged by itself", len(parts)), "write a rule for each"
	}
	if len(parts) == 1 && len(parts[0].Words) > 0 && program(parts[0]) != parts[0].Words[0] {
		return "a program in a system folder is named without its path", "begin with " + program(parts[0])
	}
	return "a part of it is known only when a command runs", "write * in its place"
}

// spelled is a command that a pattern means: * and ? become a letter, and what a shell
// would expand, and a pattern does not, stands for itself.
func spelled(pattern string) string {
	var b strings.Builder
	var quote byte
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '*' || c == '?':
			c = 'x'
		case strings.IndexByte("[]{}", c) >= 0:
			b.WriteString("'" + pattern[i:i+1] + "'")
			continue
		}
		b.WriteByte(c)
		if c == '\\' && quote != '\'' && i+1 < len(pattern) {
			i++
			b.WriteByte(pattern[i])
		}
	}
	return b.String()
}
