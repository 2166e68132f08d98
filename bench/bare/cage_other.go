//go:build !linux

package main

import "errors"

func caged(string) error { return errors.New("commands are confined on Linux only") }
