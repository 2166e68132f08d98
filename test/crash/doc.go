// Package crash has tests that cut belay's work off at every change of a file. They are
// built with the tag crashtest.
package crash
