package cli

import (
	"os/exec"
	"strings"
	"testing"
)

// The script for PowerShell is whole: outside of strings and comments every bracket has its
// partner, and no string is left open. It asks belay as the other scripts do, and knows the
// numbers of what the last line of an answer says.
func TestPowerShellScript(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("belay", "completion", "powershell").Output()
	if err != nil {
		t.Fatal(err)
	}
	script := string(out)
	if why := unbalanced(script); why != "" {
		t.Error(why)
	}
	for _, want := range []string{
		`$RequestComp="$Program __complete $Arguments"`, "$ShellCompDirectiveError=1", "$ShellCompDirectiveNoSpace=2", "$ShellCompDirectiveNoFileComp=4",
		"$ShellCompDirectiveKeepOrder=32", "Register-ArgumentCompleter -CommandName 'belay' -ScriptBlock",
	} {
		if strings.Count(script, want) != 1 {
			t.Errorf("the script has %d times %s", strings.Count(script, want), want)
		}
	}
	answer, err := exec.Command("belay", "__complete", "config", "get", "permit.de").Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(answer)), "\n")
	if name, about, _ := strings.Cut(lines[0], "\t"); name != "permit.deny" || about == "" || lines[len(lines)-1] != ":4" {
		t.Errorf("the answer is %q", lines)
	}
}

// unbalanced says what is wrong with the brackets and strings of a PowerShell script, "" for nothing.
func unbalanced(script string) string {
	partner := map[byte]byte{'}': '{', ')': '(', ']': '['}
	var open []byte
	for i := 0; i < len(script); i++ {
		switch c := script[i]; c {
		case '`':
			i++ // the next one is meant as it is
		case '#':
			i += strings.IndexByte(script[i:]+"\n", '\n')
		case '\'', '"':
			start := i
			for i++; i < len(script) && script[i] != c; i++ {
				if c == '"' && script[i] == '`' {
					i++
				}
			}
			if i >= len(script) {
				return "a string is not closed: " + script[start:min(start+40, len(script))]
			}
		case '{', '(', '[':
			open = append(open, c)
		case '}', ')', ']':
			if len(open) == 0 || open[len(open)-1] != partner[c] {
				return "a bracket has no partner: " + script[max(0, i-40):i+1]
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return "not closed: " + string(open)
	}
	return ""
}
