package durable

import "os"

// syncDir makes the entries of a directory durable: files created in, renamed
// into or removed from it. Windows journals them itself and offers no such call.
func syncDir(*os.Root, string) error { return nil }
