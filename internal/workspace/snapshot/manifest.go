package snapshot

import (
	"encoding/hex"
	"path"
	"path/filepath"
	"strings"
)

// ManifestFile is the name of a snapshot's manifest.
const ManifestFile = "SHA256SUMS"

// Names that would break a line of the manifest are escaped, as sha256sum does:
// the line then begins with a backslash.
var (
	escapes   = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`)
	unescapes = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r")
)

func writeEntry(b *strings.Builder, f File) {
	name := escapes.Replace(f.Path)
	if name != f.Path {
		b.WriteByte('\\')
	}
	b.WriteString(f.SHA256)
	b.WriteString("  ")
	b.WriteString(name)
	b.WriteByte('\n')
}

// readEntry reads a line of a manifest. It is false for one that is none, or that
// names something outside of the snapshot.
func readEntry(line string) (File, bool) {
	line, escaped := strings.CutPrefix(line, `\`)
	const digits = 64
	if len(line) < digits+3 || line[digits] != ' ' || line[digits+1] != ' ' && line[digits+1] != '*' {
		return File{}, false
	}
	f := File{SHA256: strings.ToLower(line[:digits]), Path: line[digits+2:]}
	if escaped {
		f.Path = unescapes.Replace(f.Path)
	}
	_, err := hex.DecodeString(f.SHA256)
	ok := err == nil && filepath.IsLocal(filepath.FromSlash(f.Path)) && path.Clean(f.Path) == f.Path && f.Path != ManifestFile && f.Path != "."
	return f, ok
}
