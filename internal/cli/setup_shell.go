package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"belay/internal/workspace/finding"
)

// shellLine is one line that makes a shell know belay.
type shellLine struct {
	// Name is the shell, File where its settings are, as people write it.
	Name string `json:"name"`
	File string `json:"file"`
	Line string `json:"line"`
}

// yourShell returns the line for the person's shell: completion, and before it the folder
// of this program where PATH does not lead to it.
func yourShell(c *console) shellLine {
	dir := ""
	if self, err := os.Executable(); err == nil && !inPath(self) {
		dir = filepath.Dir(self)
	}
	return lineFor(shellName(c.env["SHELL"], runtime.GOOS), dir)
}

// shellName is the shell of a person whose SHELL is path.
func shellName(path, system string) string {
	switch name := filepath.Base(path); name {
	case "zsh", "fish":
		return name
	case "pwsh":
		return "powershell"
	}
	if system == "windows" {
		return "powershell"
	}
	return "bash"
}

// lineFor is the line for a shell, with a folder that PATH lacks or "".
func lineFor(shell, dir string) shellLine {
	l := shellLine{Name: shell}
	var path string
	switch shell {
	case "fish":
		l.File, l.Line = "~/.config/fish/config.fish", "belay completion fish | source"
		path = "fish_add_path " + finding.Word(dir) + "; "
	case "powershell":
		l.File, l.Line = "$PROFILE", "belay completion powershell | Out-String | Invoke-Expression"
		path = `$env:PATH = "` + dir + `" + [IO.Path]::PathSeparator + $env:PATH; `
	default:
		l.File, l.Line = "~/."+shell+"rc", "source <(belay completion "+shell+")"
		path = "export PATH=" + finding.Word(dir) + `:"$PATH" && `
	}
	if dir != "" {
		l.Line = path + l.Line
	}
	return l
}

// keyLine is the line that gives a variable to a shell and to what it starts. The value has
// no quotes.
func keyLine(shell, variable, value string) string {
	switch shell {
	case "fish":
		return "set -gx " + variable + " '" + value + "'"
	case "powershell":
		return "$env:" + variable + " = '" + value + "'"
	}
	return "export " + variable + "='" + value + "'"
}

// inPath reports whether the name belay leads to this program.
func inPath(self string) bool {
	found, err := exec.LookPath("belay")
	if err != nil {
		return false
	}
	one, err := os.Stat(self)
	other, err2 := os.Stat(found)
	return err == nil && err2 == nil && os.SameFile(one, other)
}
