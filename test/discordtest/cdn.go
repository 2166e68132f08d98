package discordtest

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// stored is a file of the CDN and how it is served.
type stored struct {
	data []byte
	how  Delivery
}

// Delivery is how the CDN serves a file. The zero value serves it whole.
type Delivery struct {
	// Status is an answer without the file, such as 404 for an expired link:
	// reference#signed-attachment-cdn-urls.
	Status int
	// ContentType is sent instead of one that the server guesses.
	ContentType string
	// Redirect is an address that is sent instead.
	Redirect string
	// Length is announced instead of the real one. Cut ends the body after so many
	// bytes. NoLength announces none.
	Length, Cut int64
	NoLength    bool
	// Pause is waited after each 16 KiB.
	Pause time.Duration
}

// Deliver sets how a file is served.
func (s *Server) Deliver(a Attachment, how Delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files[pathOf(a.URL)].how = how
}

// keep stores a file and returns its metadata, with a signed address.
func (s *Server) keep(channel, name string, data []byte) Attachment {
	id := s.newID()
	path := "/attachments/" + channel + "/" + id + "/" + url.PathEscape(name)
	s.files[pathOf(s.CDN+path)] = &stored{data: data}
	u := fmt.Sprintf("%s%s?ex=%x&is=%x&hm=%s", s.CDN, path, time.Now().Add(24*time.Hour).Unix(), time.Now().Unix(), strings.Repeat("5e", 32))
	return Attachment{ID: id, Filename: name, Size: int64(len(data)), URL: u, ProxyURL: u}
}

// store keeps uploaded files.
func (s *Server) store(c *Channel, files []upload, about *[]attachmentBody) []Attachment {
	var all []Attachment
	for _, f := range files {
		a := s.keep(c.ID, f.name, f.data)
		if about != nil {
			for _, b := range *about {
				if n, ok := b.ID.(float64); ok && int(n) == f.index && b.Description != "" {
					a.Description = &b.Description
				}
			}
		}
		all = append(all, a)
	}
	return all
}

// pathOf is the path of an address, which names a file here.
func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Path
}

func (s *Server) serveFile(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	f := s.files[r.URL.Path]
	var how Delivery
	if f != nil {
		how = f.how
	}
	s.mu.Unlock()
	switch {
	case f == nil || r.URL.Query().Get("hm") == "":
		http.Error(w, "This content is no longer available.", http.StatusNotFound)
		return
	case how.Status != 0:
		http.Error(w, "This content is no longer available.", how.Status)
		return
	case how.Redirect != "":
		http.Redirect(w, r, how.Redirect, http.StatusFound)
		return
	}
	if how.ContentType != "" {
		w.Header().Set("Content-Type", how.ContentType)
	}
	length := int64(len(f.data))
	if how.Length > 0 {
		length = how.Length
	}
	if !how.NoLength {
		w.Header().Set("Content-Length", strconv.FormatInt(length, 10))
	}
	data := f.data
	if how.Cut > 0 {
		data = data[:min(how.Cut, int64(len(data)))]
	}
	for len(data) > 0 {
		n := min(len(data), 16<<10)
		if _, err := w.Write(data[:n]); err != nil {
			return
		}
		data = data[n:]
		if how.Pause > 0 {
			_ = http.NewResponseController(w).Flush()
			select {
			case <-time.After(how.Pause):
			case <-r.Context().Done():
				return
			}
		}
	}
	if how.Cut > 0 {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}
