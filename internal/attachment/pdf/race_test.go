//go:build race

package pdf_test

// raceEnabled is set where the race detector makes compiling the engine take
// most of a minute.
const raceEnabled = true
