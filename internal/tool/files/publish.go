package files

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"belay/internal/attachment"
	"belay/internal/permit"
	"belay/internal/tool"
)

// Of a text a person is shown so many bytes and lines before it leaves the machine.
const (
	previewBytes = 1000
	previewLines = 12
)

// publicationOf is what a person sees of files that are about to leave this machine.
func publicationOf(destination string, items []attachment.Item, blobs tool.Blobs) (*permit.Publication, error) {
	p := &permit.Publication{Destination: destination}
	for _, it := range items {
		preview, err := previewOf(it, blobs)
		if err != nil {
			return nil, err
		}
		p.Files = append(p.Files, permit.Published{
			Path: it.Origin, Name: it.Name, MIMEType: it.MIMEType, Bytes: it.Bytes, SHA256: it.SHA256, Preview: preview,
		})
	}
	return p, nil
}

// previewOf is the beginning of a text, or what is known of another file.
func previewOf(it attachment.Item, blobs tool.Blobs) (string, error) {
	switch {
	case it.Width > 0 && it.Height > 0:
		return fmt.Sprintf("%d × %d pixels", it.Width, it.Height), nil
	case it.Pages > 0:
		return fmt.Sprintf("%d pages", it.Pages), nil
	case it.Kind != attachment.KindText || it.Charset != "":
		return "", nil
	}
	content, err := blobs.Content(it.SHA256)
	if err != nil {
		return "", err
	}
	r, err := content.Open()
	if err != nil {
		return "", err
	}
	head, err := io.ReadAll(io.LimitReader(r, previewBytes))
	if err = errors.Join(err, r.Close()); err != nil {
		return "", err
	}
	text := strings.ToValidUTF8(string(head), "")
	whole := int64(len(head)) == it.Bytes
	if lines := strings.SplitAfterN(text, "\n", previewLines+1); len(lines) > previewLines {
		text, whole = strings.Join(lines[:previewLines], ""), false
	}
	if text = strings.TrimRight(text, "\n"); !whole {
		text += "…"
	}
	return text, nil
}
