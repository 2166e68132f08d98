package permit

// alive is not told on Windows, where only the hook itself is ended.
func alive(int) bool { return false }
