package cli

import (
	"slices"
	"strconv"

	"belay/internal/quantity"
)

// printSessions prints the list. Known are all ids there are: what is shown of an
// id must be the beginning of no other.
func printSessions(c *console, rows []listed, known []string, withProject bool) {
	t := &table{heads: []string{"SESSION", "UPDATED", "STATE", "MESSAGE"}, preview: 4}
	if withProject {
		t.heads = append(t.heads, "PROJECT")
	}
	shown := maxID
	if c.width > 0 {
		for _, r := range rows {
			known = append(known, r.SessionID)
		}
		shown = telling(known)
	}
	for _, r := range rows {
		state := "idle"
		switch {
		case r.Running != nil:
			state = "running in " + strconv.Itoa(r.Running.PID)
		case r.ReadOnly:
			state = "copy, read-only"
		case r.Damaged != "":
			state, r.FirstMessage = "damaged", r.Damaged
		}
		message := clip(line(r.FirstMessage), maxListed)
		if r.Title != "" {
			message = clip(line(r.Title), maxListed)
		}
		if message == "" && r.files > 0 {
			message = "(" + quantity.Count(r.files, "file", "files") + ")"
		}
		t.add(r.SessionID[:min(shown, len(r.SessionID))], when(r.UpdatedAt.Time), state, message, r.ProjectRoot)
	}
	c.print(t, "no sessions")
}

const (
	// maxID is as long as an id can be, minShown as short as one is shown: sess_ and
	// eight characters.
	maxID, minShown = 80, 13
	// maxListed is how much of a message a list shows at most, in columns.
	maxListed = 160
)

// telling is how many characters tell every one of the ids from the others.
func telling(ids []string) int {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	n := minShown
	for i := 1; i < len(ids); i++ {
		same := 0
		for same < min(len(ids[i-1]), len(ids[i])) && ids[i-1][same] == ids[i][same] {
			same++
		}
		n = max(n, same+1)
	}
	return n
}
