package journal_test

import (
	"fmt"
	"os"
)

// childEnv makes the test binary run one of children instead of its tests: a real
// other process on the same folders.
const childEnv = "BELAY_JOURNAL_TEST_CHILD"

var children = map[string]func(){}

func grownUp(err error) {
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(3)
	}
}
