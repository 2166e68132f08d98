package app

import "testing"

// A disk on which no turn could be recorded is a problem, not a notice.
func TestDiskSpace(t *testing.T) {
	t.Parallel()
	for free, want := range map[uint64]Check{
		0:       {Level: Problem, Detail: "0 B free for the project, too little for the record of a turn"},
		4 << 20: {Level: Notice, Detail: "4 MiB free for the project"},
		2 << 30: {Level: OK, Detail: "2 GiB free for the project"},
	} {
		if got := spaceFor("the project", free); got.Level != want.Level || got.Detail != want.Detail {
			t.Errorf("%d bytes: %+v", free, got)
		}
	}
}
