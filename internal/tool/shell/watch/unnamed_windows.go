package watch

import "os"

const openNonblock = 0

// unname does nothing: an open file cannot lose its name on this system.
func unname(string) error { return nil }

// dropUnnamed removes the file when it is closed.
func dropUnnamed(path string) error { return os.Remove(path) }
