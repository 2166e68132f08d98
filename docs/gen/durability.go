package main

import (
	"strings"

	"belay/internal/durable"
)

func durability(string) ([]byte, error) {
	d := newDoc("What survives", `Two things can end belay in the middle of its work. After `+"`kill -9`"+`, a crash or an out-of-memory kill, all written
data is still there. A power cut or a crash of the system also loses data that was not flushed to disk.

## What an answer promises

A positive answer is a 2xx answer without a stream, a turn's `+"`process:exit`"+`, or the exit code 0 of a command.
A test proves each row: it cuts the work off after every single change of a file, in several ways, and checks the promise.`)
	d.WriteByte('\n')
	d.table("answer", "after kill -9", "after a power cut")
	for _, p := range durable.Promises() {
		var what []string
		if p.Route != "" {
			what = append(what, code(p.Route))
		}
		if p.Command != "" {
			for c := range strings.SplitSeq(p.Command, ", ") {
				what = append(what, code(c))
			}
		}
		d.row(strings.Join(what, ", "), p.Kill, p.PowerCut)
	}
	d.WriteString(`
## Every kind of file

*Kept* files are flushed, renamed into place, and their folder is flushed, before anything rests on them. *Rebuildable*
files are never flushed: a checksum or their form shows whether they are whole, and belay makes lost ones again. One package
writes all of them, and a test fails when another does. PROJECT is a project folder, STATE the state folder and CACHE the cache
folder ([architecture.md](architecture.md), "Where things live").

`)
	d.table("file", "where", "class", "when, or from what")
	for _, f := range durable.Files() {
		d.row(f.Name, code(f.Place), f.Class.String(), f.Note)
	}
	d.WriteString(`
## Event ids

The ids of a session's events never repeat. They are reserved in blocks of 65,536, in the transcript: no event has an
id beyond the reservation that is on disk. If the system has restarted since the last write to a session, belay does not know
how its log ended, and continues after the reservation. Readers then get one ` + "`log:gap`" + ` with the reason ` + "`lost`" + `.

A log's line is whole when it is JSON and has the next id. It needs no checksum: blocks that a power cut kept from the
disk read as zeros, which JSON does not allow. A file system that may show old data instead (ext4 with ` + "`data=writeback`" + `)
takes that guarantee away.

## Versions

Session records, transcripts, logs, runs and the audit log carry the version of their format. belay reads every earlier
one. It refuses a later one with an error that names the file, and never writes to it.
`)
	return d.Bytes(), nil
}
