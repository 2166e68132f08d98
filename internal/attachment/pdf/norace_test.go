//go:build !race

package pdf_test

const raceEnabled = false
