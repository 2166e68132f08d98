//go:build crashtest

package crash

var runScenarios []scenario
