// Package render turns what a session's log has into lines for a terminal: [Call] a tool
// call, [Diff] and [WholeDiff] a change, [Markdown] an answer, [Files] and [GitLines] the
// effect of a call. The chat and the command line share it.
//
// Nothing from outside reaches a terminal as it is: [Clean] replaces control characters,
// [WithoutSequences] takes the colours and titles out of what a command wrote, and
// [Visible] shows what is not seen, where a person decides on a text. A [Look] has our
// own styles and says how the terminal counts columns.
package render
