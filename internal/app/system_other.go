//go:build !linux

package app

import "belay/internal/config"

// limitsOfSystem has nothing to say where the limits that matter are not known.
func limitsOfSystem(*config.Config) []Check { return nil }
