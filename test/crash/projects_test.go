//go:build crashtest

package crash

var projectScenarios []scenario
