package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
)

// events streams a session's log, from its beginning where the client asks for
// that, and then says nothing more.
func (s *server) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	if r.FormValue("after") == "0" && s.replay(w, r.PathValue("id")) != nil {
		return
	}
	if http.NewResponseController(w).Flush() == nil {
		<-r.Context().Done()
	}
}

// replay sends a log, line by line.
func (s *server) replay(w io.Writer, id string) (err error) {
	f, err := os.Open(filepath.Join(s.dir, filepath.Base(id)+".jsonl"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadSlice('\n')
		var long []byte
		for errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, line...)
			line, err = lines.ReadSlice('\n')
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if long != nil {
			line = append(long, line...)
		}
		var e struct {
			Seq int64 `json:"seq"`
			event
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "id: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Type, e.Data); err != nil {
			return err
		}
	}
}
