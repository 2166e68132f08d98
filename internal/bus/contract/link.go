package contract

import "strings"

// LinkRenew asks the surfaces of the kind in the envelope for the present address of a file
// that a person sent there, whose address has expired. The reply is [LinkRenewed], or a
// [Failure] NOT_FOUND where the file is gone.
type LinkRenew struct {
	// ID is the item's id in the block of files.
	ID string `json:"id"`
}

// LinkRenewed is the present address. It may be signed: no stream keeps it.
type LinkRenewed struct {
	URL string `json:"url"`
}

func (m *LinkRenew) check(c *checker) { c.filled("id", m.ID, maxLabel) }

func (m *LinkRenewed) check(c *checker) {
	c.filled("url", m.URL, maxPath)
	c.that(strings.HasPrefix(m.URL, "https://") || strings.HasPrefix(m.URL, "http://"), "url", "must be an address on the web")
}
