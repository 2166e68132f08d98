package main

import "belay/bench/measure"

// document is docs/performance.md.
func (b *bench) document() measure.Document {
	return measure.Document{Beside: "bare server", Introduction: introduction, Method: method, Machine: measure.ThisMachine(b.dir)}
}

const introduction = `# Performance

This page is written by ` + "`make bench`" + ` (` + "`go run ./bench`" + `); do not edit it.

Every figure is measured on one machine in one run, beside a bare net/http server that streams the same kind of turn and
does nothing but the same input and output: it reads the JSON body, appends the same event lines to a file of the session,
sends each event with a flush, and flushes the file to disk once per turn. It checks nothing, takes no lease, keeps no
conversation and recovers from nothing. What belay takes longer is the price of all that.

belay runs as a user would run it: ` + "`belay serve`" + ` with the scripted provider (where the row does not name another) and
the settings that it has by default, every record flushed to disk once per turn, sessions reused. Clients, both servers and
the services behind them share the machine's cores. The clients check every stream while they measure: sequence numbers
without a hole, the right words, process:exit with exit code 0. One wrong stream fails the run.
`

const method = `
How it is done:

- Messages have 20 bytes where a row does not say otherwise. "Pace" is the scripted provider's pause after each piece of text.
- The two servers take turns, round by round; a figure is the median of the rounds.
- A target in time was set on one machine, together with what the bare program of its row took there. Where that program takes
  longer, this machine is slower by that factor at this kind of work, and the table shows the target multiplied by it. A faster machine
  gets no stricter target. Ratios, sizes and counts are the same on every machine.
- 18 MiB attached: three pictures just under 5 MiB and a PDF just under 3 MiB, from the POST to process:exit, to a local stand-in for
  the Anthropic API that drains the request. "Never seen before" means that every byte is also stored and flushed to disk.
  The files themselves are on disk before, and memory for the new copies is touched and freed before each turn: a virtual machine's
  host hands out memory at the first touch, at several times the cost of all the rest, and the figure would be the host's.
- Memory is the resident size of the server's process; "most memory" is the peak of it. 1 MB is 1,000,000 bytes.
  Pages of the program file count as long as the process has them mapped. belay's server has them unmapped after its start and in each
  minute without work, and maps again what runs; in the system's cache of files they stay.
- Both programs are copied into the run's folder, in pieces of 32 KiB, and the copies are measured. A file that a linker has just
  written lies in the system's cache in large pieces, and a process that touches one is charged with all of it: a server of a fresh
  binary shows about 30 MB more than one of an installed binary.
- A stream's memory is what 1,000 idle streams add, divided by 1,000.
- File system calls are those that name a path or an open file, as strace counts them: sockets, timers and locks between threads are
  none. A client takes 100 turns, one after the other; what the server does beside them is in the figure. The row needs strace.
- Tools are called one by one in turns of many calls, each with a request to the scripted provider of its own, in a new session per
  turn. A figure is what a call takes on the average of a turn, from the first call to the last result, so that the requests between
  are in it. What stands in the first column is done as often, one after the other; the notes say what it is.
- Commands run as they do by default: in a sandbox, on an overlay of the project, with a review of what they changed. Changes are
  applied without a question (acceptEdits), and are on the disk when the call has its result. A command beside itself is run by bash
  in a copy of the project, without a sandbox and without a flush. All turns of such a row are in one session, so that compilers find
  their caches in the session's HOME; the first round, which is not counted, fills them. 1.5 GB unwritten is a file that another
  process has written to the same disk just before each round, and that the system has not flushed yet.
- Projects are generated: registers of 20 rows that refer to each other, histories as lists and as tables with prose, in all files
  of each deliverable the forms and lengths that real ones have. Commands are new processes each time, five in a round; the files are
  in the system's cache. The program beside them gets the paths of the files, reads each, and does nothing else.
- Sessions are made by the code that makes them for turns: messages of 160 bytes, answers of 930, events and manifests to match. The
  list's command is a new process each time; its server and its cache are warm. A first turn is the first request of a server that has
  just started; the manifest is that of a turn in the middle. The files are in the system's cache.
- Attachments of workflows go in this process from the text of their entries to items, as before a task begins, but for storing them:
  what is hashed is thrown away. Downloads come from a server in this process, memory is that of its objects.

Run it again with ` + "`make bench`" + `. ` + "`go run ./bench --help`" + ` lists the flags: ` + "`--quick`" + ` leaves out the two-minute wait, ` + "`--rows`" + `
measures only some rows, ` + "`--json FILE`" + ` writes the figures as JSON, ` + "`--dir`" + ` chooses the disk.
`
