// Package workspace is the execution root: the folder of files that agents and
// people work on together.
//
// [CheckRoot] is the gate that every project folder passes before anything is
// read or written in it. The layout of packages and deliverables, their status
// files, dependency registers, scans and snapshots belong here as well.
//
// Contract: workspace spec; compatible contract, section 1.2.
package workspace

// RecordDir is the folder inside a project that holds belay's own records. It is
// never scanned, listed, globbed or opened by a tool.
const RecordDir = ".belay"
