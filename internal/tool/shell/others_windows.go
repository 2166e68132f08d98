package shell

import "os"

// ofOthers is false: there are no overlays on Windows.
func ofOthers(*os.Root) (bool, error) { return false, nil }
