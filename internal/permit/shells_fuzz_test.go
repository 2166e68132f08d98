package permit

import (
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// pieces are what the fuzz test makes texts of: all that shells read in their own ways. No
// text of them names a file outside its folder or signals a process.
var pieces = slices.Concat([]string{
	"rm x", "ls", "git st", "evil", "echo a", " ", "\n", ";", "&", "&&", "||", "|", "|&", "\\\n", "\\", "#", " # ", "'", "\"", "$'", "$\"", "`", "$(", ")", "(", "{ ", "; }", "${z:-", "}",
	"<<E\n", "\nE\n", "<<'E'\n", "<<\"E\"\n", "<<\\E\n", "<<\"E\\\"O\"\n", "\nE\"O\n", "\nE\\\"O\n", "<<-E\n\t", "\nE\\\n", "<<$'E'\n", "<<< ", ">f", "&>f", "2>&1", "<(", ">(",
	"eval ", "sh -c '", "dash -c '", "bash -c '", "bash -c \"", "[[ a", " ]]", "[ a", " ]", "((", "))", "$((", "$z", "z=rm", "z=(rm x)", "\"${z[@]}\"", "a[", "]", "{rm,x}", "time ", "! ",
	"if true; then ", "; fi", "for i in a; do ", "; done", "case a in a) ", ";; esac", "trap '", "' EXIT", "env ", "command ", "exec ", "builtin ", "xargs ", "coproc ", "let ", "export A=", "\t", "\r",
}, strings.Split("abdefhilmorstxzEOF$\\'\"-+*?%,:=@^<>", ""))

// function is a definition of a function: one could call itself for ever.
var function = regexp.MustCompile(`\([ \t\r\n\\]*\)`)

// FuzzShells compares the analysis with the shells themselves: of a text that is taken apart
// in full, bash and dash run no program that was not named. [ParseCommand] speaks for bash,
// [ParsePlainCommand] for dash.
func FuzzShells(f *testing.F) {
	seeds := slices.Clone(variants)
	for text := range texts {
		seeds = append(seeds, text)
	}
	slices.Sort(seeds)
	for _, text := range seeds {
		if made, ok := asPieces(text); ok {
			f.Add(made)
		}
	}
	for _, text := range []string{
		"ls # x \\\nrm x", "ls <<E\nE\\\nO\nE", "ls <<E\nE\\\nrm x\nE\n", "ls <<\"E\\\"O\"\nE\"O\nrm x\nE\\\"O\n", "echo a $'\\'; rm x #'", "sh -c '[[ a > x ]]; ls'", "dash -c 'ls &>f'", "ls &>f rm x",
	} {
		made, ok := asPieces(text)
		if !ok {
			f.Fatalf("no pieces make %q", text)
		}
		f.Add(made)
	}
	bash, errBash := exec.LookPath("bash")
	dash, errDash := exec.LookPath("dash")
	if errBash != nil || errDash != nil || runtime.GOOS == "windows" {
		f.Skip("bash and dash are not both here")
	}
	bin := stubbed(f)
	f.Fuzz(func(t *testing.T, made []byte) {
		var b strings.Builder
		for _, piece := range made[:min(len(made), 60)] {
			b.WriteString(pieces[int(piece)%len(pieces)])
		}
		text := b.String()
		if function.MatchString(text) {
			t.Skip("a function")
		}
		for shell, parse := range map[string]func(string) ([]Command, bool, error){bash: ParseCommand, dash: ParsePlainCommand} {
			cmds, opaque, err := parse(text)
			if err != nil || opaque {
				continue
			}
			for _, name := range runs(t, shell, bin, text) {
				if !slices.ContainsFunc(cmds, func(c Command) bool { return c.Name == name }) {
					t.Errorf("%q makes %s run %s, which is none of %v", text, shell, name, cmds)
				}
			}
		}
	})
}

// asPieces spells a text, taking the longest piece each time.
func asPieces(text string) (made []byte, ok bool) {
	for text != "" {
		longest := -1
		for i, p := range pieces {
			if strings.HasPrefix(text, p) && (longest < 0 || len(p) > len(pieces[longest])) {
				longest = i
			}
		}
		if longest < 0 {
			return nil, false
		}
		made, text = append(made, byte(longest)), text[len(pieces[longest]):]
	}
	return made, len(made) <= 60
}
