//go:build crashtest

package crash

var questionScenarios []scenario
