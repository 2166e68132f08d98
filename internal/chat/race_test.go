//go:build race

package chat

// raceEnabled is set where times mean little.
const raceEnabled = true
