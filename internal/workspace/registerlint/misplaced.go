package registerlint

import (
	"io/fs"
	"os"
	"path"
	"strings"

	"belay/internal/durable"
	"belay/internal/workspace/layout"
	"belay/internal/workspace/register"
	"belay/internal/workspace/scan"
)

// misplaced are the registers that the original's linter finds, and that are in no
// deliverable's folder because of its name, or of its package's.
func misplaced(project *os.Root, found *scan.Result) []string {
	var all []string
	for _, f := range found.Findings {
		pattern := f.Path + "/" + layout.RegisterFile
		switch {
		case f.Code == scan.CodeDeliverableName && strings.HasPrefix(path.Base(f.Path), "DEL-"):
		case f.Code == scan.CodePackageName && strings.HasPrefix(f.Path, "PKG-"):
			pattern = f.Path + "/" + layout.Working + "/DEL-*/" + layout.RegisterFile
		default:
			continue
		}
		names, _ := fs.Glob(project.FS(), quotedGlob(f.Path)+strings.TrimPrefix(pattern, f.Path)) // the pattern is well formed
		all = append(all, names...)
	}
	return all
}

// quotedGlob is a name as a pattern that matches it alone.
func quotedGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

// lintMisplaced judges such a register.
func lintMisplaced(project *os.Root, name string) FileReport {
	data, _, err := durable.ReadFile(project, name, register.MaxBytes)
	if err != nil {
		return unread(name, err)
	}
	folder := path.Base(path.Dir(name))
	report := lintRegister(name, folder, register.Parse(data))
	report.Findings = append(report.Findings, register.Misplaced(name, folder))
	return report
}
