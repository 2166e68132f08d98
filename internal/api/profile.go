package api

import (
	"runtime/pprof"
	"slices"
	"strconv"
	"time"

	"belay/internal/fault"
)

const (
	// cpuProfile is the profile that takes a while; the others are a moment's.
	cpuProfile = "cpu"
	// usualProfile and longestProfile are how many seconds it takes.
	usualProfile, longestProfile = 10, 60
)

// profiles are what GET /debug/pprof/{profile} serves.
var profiles = []string{"allocs", cpuProfile, "goroutine", "heap", "threadcreate"}

// serveProfile writes a profile in the form that go tool pprof reads. A CPU profile takes
// the seconds that the caller asks for, and ends with the request; there is one at a time.
func serveProfile(c *call) error {
	name := c.r.PathValue("profile")
	if !slices.Contains(profiles, name) {
		return fault.New(fault.NotFound, "there is no profile %q", fault.Clip(name)).WithHint("the profiles are allocs, cpu, goroutine, heap and threadcreate")
	}
	seconds := usualProfile
	if given := c.r.URL.Query().Get("seconds"); given != "" {
		n, err := strconv.Atoi(given)
		if err != nil || n < 1 || n > longestProfile {
			return fault.New(fault.InvalidRequest, "seconds must be a whole number, 1 to %d", longestProfile).With("field", "seconds")
		}
		seconds = n
	}
	head := c.w.Header()
	head.Set("Content-Type", "application/octet-stream")
	head.Set("Content-Disposition", `attachment; filename="`+name+`.pprof"`)
	if name != cpuProfile {
		return pprof.Lookup(name).WriteTo(c.w, 0)
	}
	if err := pprof.StartCPUProfile(c.w); err != nil {
		head.Del("Content-Disposition")
		return fault.New(fault.Overloaded, "another CPU profile is being taken").WithHint("ask again when it has ended")
	}
	defer pprof.StopCPUProfile()
	end := time.NewTimer(time.Duration(seconds) * time.Second)
	defer end.Stop()
	select {
	case <-end.C:
	case <-c.ctx().Done():
	}
	return nil
}
