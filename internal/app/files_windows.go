package app

// openFileLimit is how many files this process may have open, 0 where the system
// does not say.
func openFileLimit() int { return 0 }
