package overlay

import "time"

// Began makes a command begin later by the clock, as it did where the clock went back
// since.
func Began(u *Upper, later time.Duration) { u.began = u.began.Add(later) }
