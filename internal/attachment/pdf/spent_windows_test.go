package pdf_test

import "time"

var begun = time.Now()

// spent is the time since this process began.
func spent() time.Duration { return time.Since(begun) }
