//go:build !linux

package main

import "syscall"

// cage does nothing: this system has no namespaces.
func cage() *syscall.SysProcAttr { return nil }
