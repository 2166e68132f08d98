package attachment

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// cacheVersion is part of every key. Raise it when the making of renditions
// changes, so that old ones are not taken for new ones.
const cacheVersion = 3

// What was used within cacheGrace may be in a request right now and stays; the
// time of use is written at most every cacheTouch. Temporary files older than
// cacheStale were left by a crash.
const (
	cacheGrace = 10 * time.Minute
	cacheTouch = time.Minute
	cacheStale = time.Hour
)

// rendition is what is known about one way of delivering an item: its content,
// or why there is none. The exported fields are the cache's file format.
type rendition struct {
	// Note says why the content cannot be delivered; the rest is then zero.
	Note     string `json:"note,omitempty"`
	MIMEType string `json:"mimeType,omitempty"`
	Width    int    `json:"width,omitempty"`
	Height   int    `json:"height,omitempty"`
	Pages    int    `json:"pages,omitempty"`
	// Original says that the item's own bytes are the content.
	Original bool   `json:"original,omitempty"`
	SHA256   string `json:"sha256,omitempty"`
	Bytes    int64  `json:"bytes,omitempty"`
	// Escaped is the length of text in a JSON string, on the high side.
	Escaped int64 `json:"escaped,omitempty"`
	// Cut says that text was cut.
	Cut bool `json:"cut,omitempty"`
	// Bare says that the text was cut and does not itself say so.
	Bare bool `json:"bare,omitempty"`

	content Content
}

// made is a rendition whose bytes are not stored yet.
type made struct {
	rendition
	data []byte // nil where there is nothing to store
}

// delivered is the rendition with its bytes, as they are in memory.
func (m made) delivered() rendition {
	r := m.rendition
	if m.data != nil {
		sum := sha256.Sum256(m.data)
		r.SHA256, r.Bytes = hex.EncodeToString(sum[:]), int64(len(m.data))
		r.content = &memoryContent{data: m.data, sha: r.SHA256}
	}
	return r
}

// cache keeps renditions in a folder as immutable files: KEY.json says what is
// known and KEY.bin are the bytes. Both are written beside and renamed, the bytes
// first, so a reader in any process sees a whole rendition or none. Nothing in
// it is worth an fsync: a damaged entry is one that is missing.
type cache struct {
	dir   string
	limit int64
	now   func() time.Time
	used  atomic.Int64 // an estimate, set right by every sweep
}

func newCache(dir string, limit int64, now func() time.Time) *cache {
	return &cache{dir: dir, limit: limit, now: now}
}

// open makes the folder, and removes what is over the limit.
func (c *cache) open() error {
	if err := os.MkdirAll(c.dir, 0o700); err != nil {
		return err
	}
	return c.sweep()
}

// cacheKey names a rendition by the original's bytes and by everything that its
// making depends on.
func cacheKey(it Item, recipe string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%s", cacheVersion, it.SHA256, recipe))
	return hex.EncodeToString(sum[:])
}

// get returns a whole rendition.
func (c *cache) get(key string) (rendition, bool) {
	meta := filepath.Join(c.dir, key+".json")
	data, err := os.ReadFile(meta)
	if err != nil {
		return rendition{}, false
	}
	var r rendition
	if err := json.Unmarshal(data, &r); err != nil {
		return rendition{}, false
	}
	c.touch(meta)
	if r.SHA256 == "" {
		return r, true
	}
	bin := filepath.Join(c.dir, key+".bin")
	if info, err := os.Stat(bin); err != nil || info.Size() != r.Bytes {
		return rendition{}, false
	}
	c.touch(bin)
	r.content = fileContent{path: bin, sha: r.SHA256, size: r.Bytes}
	return r, true
}

// touch notes the use of a file for the eviction. Failing is harmless: the file
// looks older than it is.
func (c *cache) touch(path string) {
	info, err := os.Stat(path)
	if now := c.now(); err == nil && now.Sub(info.ModTime()) > cacheTouch {
		_ = os.Chtimes(path, time.Time{}, now)
	}
}

// put stores m and returns it with its content. With an error, that is what m has in memory:
// a cache that cannot be written to hinders nobody.
func (c *cache) put(key string, m made) (rendition, error) {
	r := m.delivered()
	data, err := json.Marshal(r)
	if err != nil {
		return r, err
	}
	bin := filepath.Join(c.dir, key+".bin")
	if m.data != nil {
		if err := c.write(bin, m.data); err != nil {
			return r, err
		}
	}
	if err := c.write(filepath.Join(c.dir, key+".json"), data); err != nil {
		return r, err
	}
	if m.data != nil {
		r.content = fileContent{path: bin, sha: r.SHA256, size: r.Bytes}
	}
	if c.used.Load() > c.limit {
		return r, c.sweep()
	}
	return r, nil
}

// write stores a file of the cache. It makes the folder again, which people may remove at any
// time.
func (c *cache) write(path string, data []byte) (err error) {
	f, err := os.CreateTemp(c.dir, "tmp-*")
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(c.dir, 0o700); err != nil {
			return err
		}
		f, err = os.CreateTemp(c.dir, "tmp-*")
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	now := c.now()
	if err := os.Chtimes(f.Name(), now, now); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	c.used.Add(int64(len(data)))
	return nil
}

// sweep deletes the longest unused files until a tenth of the limit is free,
// sparing what may be in use.
func (c *cache) sweep() error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	now := c.now()
	var used int64
	var old []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // vanished, or the engine's own folder
		}
		age := now.Sub(info.ModTime())
		if strings.HasPrefix(info.Name(), "tmp-") {
			if age > cacheStale {
				_ = os.Remove(filepath.Join(c.dir, info.Name())) // tried again next time
			}
			continue
		}
		used += info.Size()
		if age > cacheGrace {
			old = append(old, info)
		}
	}
	if used > c.limit {
		slices.SortFunc(old, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
		for _, info := range old {
			if used <= c.limit-c.limit/10 {
				break
			}
			if os.Remove(filepath.Join(c.dir, info.Name())) == nil {
				used -= info.Size()
			}
		}
	}
	c.used.Store(used)
	return nil
}
