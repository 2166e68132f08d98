package block

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// Item is one file that a person sent: at an address, or in the blobs of the project.
type Item struct {
	// ID is the surface's own name of the file, such as "discord:7:8:9". It is opaque to
	// models and stays when the address changes. 1 to 128 letters, digits and "._:-", or
	// empty.
	ID string `json:"id,omitempty"`
	// URL is where the file is: http or https, without a user. Its query may be a secret.
	URL string `json:"url,omitempty"`
	// SHA256 names an upload by its bytes, in 64 lower-case hex digits.
	SHA256 string `json:"sha256,omitempty"`
	// Filename and MIMEType are what the sender said; the bytes may differ.
	Filename string `json:"filename,omitempty"`
	MIMEType string `json:"mimeType,omitempty"`
	// Size is the announced number of bytes, 0 when unknown.
	Size int64 `json:"size,omitempty"`
}

// The longest fields of an item, in bytes.
const (
	maxID   = 128
	maxURL  = 4096
	maxName = 1024
	maxType = 256
)

// Valid reports whether the item names exactly one file, by URL or SHA256, and has no
// field that is too long or ill-formed.
func (it Item) Valid() bool {
	if (it.URL == "") == (it.SHA256 == "") || it.Size < 0 {
		return false
	}
	if len(it.Filename) > maxName || len(it.MIMEType) > maxType || !utf8.ValidString(it.Filename) || !utf8.ValidString(it.MIMEType) {
		return false
	}
	if it.ID != "" && !goodID(it.ID) {
		return false
	}
	if it.SHA256 != "" {
		return len(it.SHA256) == 64 && strings.Trim(it.SHA256, "0123456789abcdef") == ""
	}
	return goodURL(it.URL)
}

// Public returns the item without what is secret: query and fragment of its address.
func (it Item) Public() Item {
	if u, err := url.Parse(it.URL); err == nil && it.URL != "" {
		u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = "", false, "", ""
		it.URL = u.String()
	}
	return it
}

// key is the identity of the file: its id, its bytes, or its address without the query,
// which changes each time that the address is signed.
func (it Item) key() string {
	switch {
	case it.ID != "":
		return "id " + it.ID
	case it.SHA256 != "":
		return "sha256 " + it.SHA256
	}
	return "url " + it.Public().URL
}

// Unite returns the items that are [Item.Valid], each file once: where it came first, as it
// came last, so that the newest address counts.
func Unite(items []Item) []Item {
	valid, _ := unique(items)
	return valid
}

// unique is [Unite] with the items that are not valid.
func unique(items []Item) (valid, invalid []Item) {
	at := make(map[string]int, len(items))
	for _, it := range items {
		if !it.Valid() {
			invalid = append(invalid, it)
			continue
		}
		key := it.key()
		if i, ok := at[key]; ok {
			valid[i] = it
			continue
		}
		at[key] = len(valid)
		valid = append(valid, it)
	}
	return valid, invalid
}

func goodID(id string) bool {
	for i := range len(id) {
		c := id[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (c < '0' || c > '9') && !strings.ContainsRune("._:-", rune(c)) {
			return false
		}
	}
	return len(id) <= maxID
}

func goodURL(address string) bool {
	if len(address) > maxURL || !utf8.ValidString(address) {
		return false
	}
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Hostname() != "" && u.User == nil && u.Opaque == ""
}
