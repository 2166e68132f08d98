//go:build !linux && !darwin

package durable

// systemBootID is empty where the system has no name for the time since it started:
// every process then counts as one after a power cut.
func systemBootID() string { return "" }
