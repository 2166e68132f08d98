package files

import (
	"fmt"
	"mime"
	"path"
	"strings"

	"belay/internal/attachment"
)

// sentType is the MIME type that people see: the one of the call, which must be of the
// same family as the bytes or the one that they were read as; without one that of the
// bytes. Of bytes of no known type the extension decides.
func sentType(it attachment.Item, said, name string) (string, error) {
	if said == "" {
		if it.MIMEType == "application/octet-stream" {
			if byName, _, err := mime.ParseMediaType(mime.TypeByExtension(path.Ext(name))); err == nil && familyOf(byName) == familyOf(it.MIMEType) {
				return byName, nil
			}
		}
		return it.MIMEType, nil
	}
	bare, _, err := mime.ParseMediaType(said)
	if err != nil || !strings.Contains(bare, "/") {
		return "", fmt.Errorf("cannot have the type %q: that is no MIME type", said)
	}
	if is, asked := familyOf(it.MIMEType), familyOf(bare); is != asked && bare != it.MIMEType {
		return "", fmt.Errorf("cannot have the type %s: its bytes are %s", bare, it.MIMEType)
	}
	return bare, nil
}

// familyOf is the first half of a type. A PDF is a family of its own.
func familyOf(mimeType string) string {
	if mimeType == "application/pdf" {
		return mimeType
	}
	family, _, _ := strings.Cut(mimeType, "/")
	return family
}

// sentAnswer is what the model reads: no bytes of the files are in it.
type sentAnswer struct {
	OK          bool         `json:"ok"`
	Attachments []sentRecord `json:"attachments"`
}

type sentRecord struct {
	Filename string `json:"filename"`
	MIMEType string `json:"mimeType"`
	Bytes    int64  `json:"bytes"`
}

func sentText(items []attachment.Item) sentAnswer {
	a := sentAnswer{OK: true}
	for _, it := range items {
		a.Attachments = append(a.Attachments, sentRecord{it.Name, it.MIMEType, it.Bytes})
	}
	return a
}
