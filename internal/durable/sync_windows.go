package durable

import "os"

// SyncDir makes the entries of a directory durable: files created in, renamed
// into or removed from it. Windows journals them itself and offers no such call.
func SyncDir(*os.Root, string) error { return nil }
