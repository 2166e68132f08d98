package contract

// BlobCopy asks for the bytes of a [File] of the session in the envelope, for a
// surface that cannot read the state folder. The reply is [BlobCopied].
type BlobCopy struct {
	SHA256 string `json:"sha256"`
}

// BlobCopied names the object, in the object store of the bus, that has the bytes. It
// stays until every surface that asked for it has released it, a day at most.
type BlobCopied struct {
	Object string `json:"object"`
	Bytes  int64  `json:"bytes"`
}

// BlobRelease says that the surface needs an object no more. The reply is
// [BlobReleased].
type BlobRelease struct {
	Object string `json:"object"`
}

// BlobReleased says that a release is noted.
type BlobReleased struct{}

func (m *BlobCopy) check(c *checker) { c.matches("sha256", m.SHA256, sha256Pattern) }

func (m *BlobCopied) check(c *checker) {
	c.matches("object", m.Object, objectPattern)
	c.that(m.Bytes >= 0, "bytes", "must not be negative")
}

func (m *BlobRelease) check(c *checker) { c.matches("object", m.Object, objectPattern) }
func (*BlobReleased) check(*checker)    {}
