package cli

import "belay/internal/workspace/finding"

// verdict is the end of a command that looked for findings.
func verdict(all []finding.Finding) error {
	if errors, _ := finding.Count(all); errors > 0 {
		return ended(ExitFailed)
	}
	return nil
}
