package snapshot

import "belay/internal/workspace/finding"

var (
	ruleNoManifest = finding.Rule{Code: "SNAPSHOT_NO_MANIFEST", Severity: finding.Warning, Section: "11.1",
		Means: "A snapshot has no manifest of checksums, so nobody can tell whether it is as it was published.",
		Fix:   "leave the snapshot as it is, which never changes; publish the next one with belay snapshot new, which writes a manifest"}
	ruleManifest = finding.Rule{Code: "SNAPSHOT_MANIFEST_MALFORMED", Severity: finding.Error, Section: "11.1",
		Means: "A line of a snapshot's SHA256SUMS is none that sha256sum writes, names a file again, or one outside of the snapshot.",
		Fix:   "restore SHA256SUMS from version control"}
	ruleMissing = finding.Rule{Code: "SNAPSHOT_FILE_MISSING", Severity: finding.Error, Section: "11.1",
		Means: "A file of a snapshot is gone.",
		Fix:   "restore the file from version control; a rerun belongs into a new snapshot"}
	ruleChanged = finding.Rule{Code: "SNAPSHOT_FILE_CHANGED", Severity: finding.Error, Section: "11.1",
		Means: "A file of a snapshot has other bytes than when it was published.",
		Fix:   "restore the file from version control; a correction belongs into a new snapshot"}
	ruleAdded = finding.Rule{Code: "SNAPSHOT_FILE_ADDED", Severity: finding.Error, Section: "11.1",
		Means: "A snapshot has a file that was not there when it was published.",
		Fix:   "move the file out of the snapshot; what is new belongs into a new one"}
	ruleUnreadable = finding.Rule{Code: "SNAPSHOT_UNREADABLE", Severity: finding.Error, Section: "11.1",
		Means: "A snapshot, or a file of it, cannot be read.",
		Fix:   "check its permissions and the disk"}
)

// Rules are all kinds of findings about a snapshot, for the reference.
func Rules() []finding.Rule {
	return []finding.Rule{ruleNoManifest, ruleManifest, ruleMissing, ruleChanged, ruleAdded, ruleUnreadable}
}
