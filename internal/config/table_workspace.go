package config

import "time"

func workspace(c *Config) []*key {
	w := &c.Workspace
	return []*key{
		{name: "workspace.max_folders", value: count(&w.MaxFolders, 1, 100_000_000), def: "1000000",
			doc: "Folders of a project that are looked at; a larger one is listed in part, and says so."},
		{name: "workspace.max_depth", value: count(&w.MaxDepth, 4, 1000), def: "32",
			doc: "How deep a folder of a project may lie that is looked at."},
		{name: "workspace.file_bytes", value: size(&w.FileBytes, kib, gib), def: "16MiB",
			doc: "Largest file of a project that is read to check it."},
		{name: "workspace.view_bytes", value: size(&w.ViewBytes, kib, gib), def: "8MiB",
			doc: "Most of one file of a project that is shown."},
		{name: "workspace.status_bytes", value: size(&w.StatusBytes, kib, 16*mib), def: "1MiB",
			doc: "Largest _STATUS.md that is read for a deliverable's history, or changed by a transition."},
		{name: "workspace.open_transitions", value: boolean{&w.OpenTransitions}, def: "false",
			doc: "Whether callers of a server on a loopback address may make transitions to CHECKING and ISSUED without the operator's authority, as clients of the original do, where no token_file is set. Each is on record as unauthenticated."},
		{name: "workspace.max_watches", value: count(&w.MaxWatches, 0, 10_000_000), def: "200000",
			doc: "Folders of one project that the system is asked to watch for changes; a larger project is looked at every workspace.poll."},
		{name: "workspace.poll", value: duration(&w.Poll, 100*time.Millisecond, time.Hour), def: "2s",
			doc: "How often a project is looked at whose changes the system can not tell."},
		{name: "workspace.idle", value: duration(&w.Idle, time.Second, day), def: "10m",
			doc: "How long the index of a project is kept that nobody asks for."},
		{name: "workspace.proposals", value: count(&w.Proposals, 1, 10_000), def: "100",
			doc: "Proposals for registers of one project that may wait for a person; more are refused."},
		{name: "workspace.proposals_kept", value: count(&w.ProposalsKept, 1, 10_000), def: "200",
			doc: "Proposals of one project that are kept after they were applied, dismissed or superseded."},
	}
}
