package config

func workspace(c *Config) []*key {
	w := &c.Workspace
	return []*key{
		{name: "workspace.open_transitions", value: boolean{&w.OpenTransitions}, def: "false",
			doc: "Whether callers of a server on a loopback address may make transitions to CHECKING and ISSUED without the operator's authority, as clients of the original do, where no token_file is set. Each is on record as unauthenticated.",
			why: "Clients of the original system make transitions."},
		{name: "workspace.require_if_match", value: boolean{&w.RequireIfMatch}, def: "false",
			doc: "Whether a register that is written over HTTP must name the content that it replaces, in If-Match; without it two clients can overwrite each other's rows.",
			why: "Several people edit registers at once."},
	}
}
