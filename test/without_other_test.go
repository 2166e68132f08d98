//go:build !linux

package test

import "os/exec"

// Only Linux has what a machine may be without.
func without(*exec.Cmd, string, string) {}
