package persona

import "embed"

const embeddedDir = "embedded"

// embedded is the set that works without any configuration: the personas of the
// workbench (workspace 14.2), and for each category of the pipeline (14.3) one that does
// such work.
//
//go:embed embedded
var embedded embed.FS
