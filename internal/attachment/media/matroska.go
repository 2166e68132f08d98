package media

import (
	"bytes"
)

// ebml tells WebM from other Matroska by its document type, which comes early.
func ebml(head []byte) string {
	head = head[:min(len(head), 256)]
	at := bytes.Index(head, []byte{0x42, 0x82})
	if at < 0 || at+3 > len(head) {
		return Matroska
	}
	if size := int(head[at+2] &^ 0x80); at+3+size <= len(head) && string(bytes.TrimRight(head[at+3:at+3+size], "\x00")) == "webm" {
		return WebM
	}
	return Matroska
}
