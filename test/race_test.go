//go:build race

package test

// raceDetector is set where the tests run with the race detector.
const raceDetector = true
