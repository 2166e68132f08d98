package tool

import (
	"encoding/json"
	"strings"
	"sync"

	"belay/internal/schema"
)

// compileLater compiles a tool's schema at its first call: most tools of a turn are
// never called, and the library needs some milliseconds to get ready.
func compileLater(doc json.RawMessage) func() (*schema.Schema, error) {
	return sync.OnceValues(func() (*schema.Schema, error) { return schema.Compile(doc) })
}

// describe writes a fault as a line.
func describe(f schema.Fault) string { return describePlace(f.Place) + ": " + f.Text }

// describePlace writes a place as a JSON pointer of bounded length: its names are the
// model's.
func describePlace(place []string) string {
	if len(place) == 0 {
		return "the input"
	}
	return Clip("/"+strings.Join(place, "/"), maxPlaceBytes)
}
