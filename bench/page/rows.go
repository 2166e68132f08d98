package main

import "belay/bench/measure"

func rows() []measure.Row[*bench] {
	return []measure.Row[*bench]{
		{Name: "first-view", Measure: (*bench).firstView},
		{Name: "question", Measure: (*bench).question},
		{Name: "graph", Measure: (*bench).graph},
		{Name: "changed-file", Measure: (*bench).changedFile},
		{Name: "deliverables", Measure: (*bench).deliverables},
		{Name: "register", Measure: (*bench).register},
		{Name: "live", Measure: (*bench).live},
		{Name: "scroll", Measure: (*bench).scroll},
	}
}

// document is docs/performance-page.md.
func (b *bench) document() measure.Document {
	m := measure.ThisMachine(b.dir)
	m.Browser = "Chromium " + b.browser.version
	return measure.Document{Beside: "bare page", Introduction: introduction, Method: method, Machine: m}
}

const introduction = `# Performance of the page

This page is written by ` + "`make bench-page`" + ` (` + "`go run ./bench/page`" + `); do not edit it.

Every figure is measured in headless Chromium on one machine in one run, beside a bare page: one document of plain HTML with a list, a
box for messages, and a script of a few lines that shows what its server sends. It has no state, no Markdown, no keys and no
questions to answer. What belay's page takes longer is the price of all that.

belay runs as a user would run it: ` + "`belay serve`" + ` with the scripted provider and its default settings. Browser, both servers and the program
that measures share the machine's cores.
`

const method = `
How it is done:

- Each round has a browser context of its own, with a window of 1280 by 800. The two sides take turns; a figure is the median of the
  rounds. The scripts that measure are the same on both sides. A time ends when the frame that shows the result is drawn.
- The first view answers input when a letter that was typed into its box for messages is on the screen, counted from the start of the
  navigation. The browser is paired before, and its cache is empty. Bytes are those of all answers until then, compressed as they were sent,
  with their headers.
- 50 live sessions: 50 turns speak at the same time, every 35 ms a piece each. One of their sessions is shown, the list of all of them is
  beside it, and everything comes by one stream. The bare page shows pieces of 50 texts, one every 35 ms each. The longest frame is that
  of 8 seconds.
- A session of 2,500 turns, which are 5,000 messages, is scrolled for 4 seconds, by 200 pixels per frame, from its end. Headless Chromium draws 60
  frames per second at most, and on a busy machine one or two less. The bare page has all messages in its document.
- A question is on the screen when the frame after it was inserted is drawn. The time is that since its event was appended to the log,
  or, on the bare page, since its server got the request.
- Projects are generated, with registers, histories and documents as real ones have. Their views were opened once before, in another
  tab, so that the server has read the project; the tab that is measured has loaded the script of a view, but none of its data.
- 10,000 deliverables: the overview is opened by its link, from the click to the first rows. Then one letter is typed into its search. The
  bare page makes a table of all rows, and another one of those that contain the letter.
- A register of 5,000 rows and 29 columns is opened by its link, and scrolled as the session is. The bare page makes a table of the
  same columns.
- A graph of 500 deliverables and about 1,500 dependencies, with circles, is opened by its link. The layout alone is timed in its
  worker; the longest frame is that from the click until the layout is there. The bare page draws boxes in columns and lines
  between them, without any order in a column.
- A file of a project of 10,000 deliverables is replaced while it is shown. The time is that since just before it is written. The
  server of the bare page tells it as soon as the file is written, and the page gets the file anew.
`
