package main

// spec is a specification and what it requires.
type spec struct {
	// name is how tests refer to it.
	name, title  string
	requirements []requirement
}

// requirement is one row: what is asked for, in a few words.
type requirement struct {
	id, asks string
	// later is set for what is not built yet.
	later bool
}

var specs = []spec{
	{"turn-api", "Turn execution and streaming", []requirement{
		{"REQ-01", "POST /api/harness/turn takes a message, attachments and options", false},
		{"REQ-02", "a turn runs from the request to the end of its stream", false},
		{"REQ-03", "events stream as they happen and end cleanly", false},
		{"REQ-04", "tools are called under permissions", true},
		{"REQ-05", "a string prompt without attachments, blocks with them", false},
		{"REQ-06", "attachments are checked by the server; a part may fail", false},
		{"REQ-07", "options reach the runtime; what is left out falls back", false},
		{"REQ-08", "what a client says about a file is not believed", false},
		{"REQ-09", "an empty message with attachments is a turn", false},
		{"REQ-10", "no such session: an error before any stream", false},
		{"REQ-11", "one turn at a time in a session; the lock is freed at its end", false},
		{"REQ-12", "errors in the stream have a schema", false},
		{"REQ-13", "no key: refused before any stream", false},
	}},
	{"attachment-resolver", "Attachment resolver", []requirement{
		{"REQ-01", "attachments are a list of absolute paths", false},
		{"REQ-02", "the server decides by the bytes what a file is", false},
		{"REQ-03", "only known extensions", false},
		{"REQ-04", "regular files only: no folder, link or special file", false},
		{"REQ-05", "at most 10 MiB in one file", false},
		{"REQ-06", "at most 18 MiB in one turn, counted in order", false},
		{"REQ-07", "a turn goes on without what was refused, with a warning in front", false},
		{"REQ-08", "nothing left to send is a 400 that lists every refusal", false},
		{"REQ-09", "attachments without words are a turn", false},
		{"REQ-10", "no attachments: a string prompt", false},
		{"REQ-11", "attachments: a block prompt", false},
		{"REQ-12", "each kind of file becomes its kind of block", false},
		{"REQ-13", "missing and unreadable files are told one by one", false},
	}},
	{"workspace", "Workspace", []requirement{
		{"1", "an execution root: packages and tool roots", false},
		{"1.1", "the folders of a package", false},
		{"1.2", "tool roots, known and unknown", false},
		{"2", "deliverables in 1_Working, told from their copies", false},
		{"2.1", "the files of a deliverable, by its state", false},
		{"3.1", "the form of _STATUS.md, as it is really written; edits keep it", false},
		{"3.2", "the states of a deliverable", false},
		{"3.3", "who may make which transition; people's need an approved commit", false},
		{"4.1", "the form of _CONTEXT.md", false},
		{"4.2", "_CONTEXT.md agrees with the decomposition", false},
		{"5.1", "what people declare and what agents extract: two owners of one file", false},
		{"5.2", "the form of _DEPENDENCIES.md", false},
		{"5.3", "how dependencies are tracked", false},
		{"6.1", "the schema of a register", false},
		{"6.2", "its columns", false},
		{"6.3", "the words that columns take", false},
		{"6.4", "anchor rows and execution rows", false},
		{"6.5", "where the evidence stands", false},
		{"6.6", "rows are never deleted; satisfaction goes step by step", false},
		{"6.7", "older registers are read, and brought up to date where they change", false},
		{"6.8", "who a row is, and what it is about", false},
		{"7.1", "the form of _REFERENCES.md", false},
		{"7.2", "references lead somewhere", false},
		{"8.1", "the form of MEMORY.md", false},
		{"8.2", "MEMORY.md alone is working memory", false},
		{"9.1", "the header of an instruction file", false},
		{"9.2", "its table of properties", false},
		{"9.3", "its sections", false},
		{"9.4", "PROTOCOL over SPEC over STRUCTURE over RATIONALE", false},
		{"9.5", "the values that properties may have", false},
		{"9.6", "files are AGENT_NAME.md, and name the agent", false},
		{"9.7", "metadata in frontmatter; delegation only through every gate", false},
		{"9.8", "options and attachments of boots and turns, and their fallbacks", false},
		{"10.1", "labels that every file system takes", false},
		{"10.2", "folders are named by id and name", false},
		{"11.1", "snapshots: published whole, never changed", false},
		{"11.2", "pointers to the newest snapshot", false},
		{"12.1", "what makes an execution root valid", false},
		{"12.2", "what makes a package valid", false},
		{"12.3", "what makes a deliverable valid", false},
		{"13", "how the project is coordinated", false},
		{"14.2", "the personas of the workbench exist", false},
		{"15", "the deliverables of a project over HTTP", false},
		{"15.1", "the shape of that answer", false},
		{"15.2", "whether knowledge types are a choice", false},
		{"15.3", "the knowledge types and who has them", false},
	}},
}
