package main

import (
	"strings"

	"belay/internal/durable"
)

func durability(string) ([]byte, error) {
	d := newDoc("What survives", `Two things can end belay in the middle of its work. After `+"`kill -9`"+`, a crash or a full memory, all that was
written is still there. A power cut, or a crash of the system, also takes what was not flushed to disk.

## What an answer promises

A positive answer is a 2xx answer without a stream, a turn's `+"`process:exit`"+`, or the exit code 0 of a command.
Each line is tested: work is cut off after every single change of a file, in several ways, and what had been answered
must hold.`)
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
files are never flushed: their content shows whether it is whole, and what is lost is made again. One package writes all
of them, and a test fails when another does. PROJECT is a project folder, STATE the state folder and CACHE the cache
folder ([architecture.md](architecture.md), "Where things live").

`)
	d.table("file", "where", "class", "when, or from what")
	for _, f := range durable.Files() {
		d.row(f.Name, code(f.Place), f.Class.String(), f.Note)
	}
	d.WriteString(`
## Event ids

The ids of a session's events never repeat. They are reserved in blocks of 65,536, in the transcript: no event goes
beyond a reservation that is on disk. When the system was started again since a session was last written to, belay does
not know how the log ended, and goes on behind the reservation. Readers then get one ` + "`log:gap`" + ` with the reason ` + "`lost`" + `.

A log's line is whole when it is JSON and has the next id. It needs no checksum: blocks that a power cut kept from the
disk read as zeros, which JSON does not allow. A file system that may show old data instead (ext4 with ` + "`data=writeback`" + `)
takes that guarantee away.

## Versions

Session records, transcripts, logs, runs and the audit log carry the version of their format. belay reads every earlier
one. It refuses a later one with an error that names the file, and never writes to it.
`)
	return d.Bytes(), nil
}
