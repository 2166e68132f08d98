package main

import (
	"os"
	"time"

	manual "github.com/spf13/cobra/doc"

	"belay/internal/cli"
)

// manualPages writes the manual page of every command to a folder, which is made where it
// is missing. They are as of date, RFC 3339, so that two runs give the same bytes.
func manualPages(dir, date string) error {
	at, err := time.Parse(time.RFC3339, date)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root := cli.Commands()
	root.DisableAutoGenTag = true
	return manual.GenManTree(root, &manual.GenManHeader{Section: "1", Manual: "belay", Source: "belay", Date: &at}, dir)
}
