package files

import (
	"mime"
	"net/url"
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"belay/internal/attachment/block"
)

// extensionOf is the extension of a file: that of the announced type, else that of the name
// that its sender gave it, else that of its address, else none (B4).
func extensionOf(mimeType string, it block.Item) string {
	if ext := typeExtension(mimeType); ext != "" {
		return ext
	}
	if ext := cleanExtension(it.Filename); ext != "" {
		return ext
	}
	if u, err := url.Parse(it.URL); err == nil {
		return cleanExtension(u.Path)
	}
	return ""
}

// typeExtension is the usual extension of a type. A type that says nothing has none.
func typeExtension(mimeType string) string {
	bare, _, err := mime.ParseMediaType(mimeType)
	if err != nil || bare == "application/octet-stream" || bare == "binary/octet-stream" {
		return ""
	}
	if known := mimetype.Lookup(bare); known != nil {
		return known.Extension()
	}
	return ""
}

// maxExtension is the longest extension, with its point.
const maxExtension = 11

// cleanExtension is the extension of a name in lower case: letters and digits, or "".
func cleanExtension(name string) string {
	if i := strings.LastIndexByte(name, '\\'); i >= 0 {
		name = name[i+1:]
	}
	ext := strings.ToLower(path.Ext(name))
	if len(ext) < 2 || len(ext) > maxExtension || strings.Trim(ext[1:], "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return ""
	}
	return ext
}
