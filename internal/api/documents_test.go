package api_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"belay/internal/api"
	"belay/internal/api/apitest"
	"belay/internal/fault"
)

// The reference is large and always the same: it goes compressed, once to each client.
func TestTheReferenceIsKept(t *testing.T) {
	t.Parallel()
	base := serve(t, api.New(api.Options{Engine: &apitest.Engine{}}))
	plain, body := fetch(t, base+"/openapi.json", "Accept-Encoding: identity")
	if plain.ContentLength != int64(len(body)) || plain.Header.Get("Etag") == "" || !strings.HasPrefix(body, "{") {
		t.Errorf("%d of %d bytes, %v", plain.ContentLength, len(body), plain.Header)
	}
	packed, short := fetch(t, base+"/openapi.json", "Accept-Encoding: gzip")
	if packed.Header.Get("Content-Encoding") != "gzip" || len(short) > len(body)/4 {
		t.Errorf("%d of %d bytes, %v", len(short), len(body), packed.Header)
	}
	if z, err := gzip.NewReader(strings.NewReader(short)); err != nil {
		t.Error(err)
	} else if unpacked, err := io.ReadAll(z); err != nil || string(unpacked) != body {
		t.Errorf("it unpacks to %.80s, %v", unpacked, err)
	}
	if again, rest := fetch(t, base+"/openapi.json", "Accept-Encoding: identity", "If-None-Match: "+plain.Header.Get("Etag")); again.StatusCode != http.StatusNotModified || rest != "" {
		t.Errorf("%d to a client that has it", again.StatusCode)
	}
	head, err := http.Head(base + "/openapi.json") // which takes no gzip
	if err != nil {
		t.Fatal(err)
	}
	defer head.Body.Close()
	if head.ContentLength != int64(len(body)) {
		t.Errorf("HEAD gives %d of %d bytes", head.ContentLength, len(body))
	}
}

// A body that is compressed is refused as that: it is no broken JSON.
func TestEncodedBodies(t *testing.T) {
	t.Parallel()
	base := serve(t, api.New(api.Options{Engine: &apitest.Engine{}}))
	for encoding, want := range map[string]int{"gzip": http.StatusUnsupportedMediaType, "br": http.StatusUnsupportedMediaType, "identity": http.StatusOK, "": http.StatusOK} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/api/harness/session/create", strings.NewReader(`{"projectRoot":"/project"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Content-Encoding", encoding)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != want || want != http.StatusOK && !bytes.Contains(body, []byte("the body has the Content-Encoding "+encoding)) {
			t.Errorf("%q: %d %s", encoding, res.StatusCode, body)
		}
	}
}

// exporter is an engine whose export fails before its first byte, and counts.
type exporter struct {
	*apitest.Engine
	exports int
}

func (e *exporter) Export(context.Context, string, io.Writer) ([]string, error) {
	e.exports++
	return nil, fault.New(fault.StorageFailure, "the disk is gone")
}

// A failure is no download, and HEAD makes no archive.
func TestAFailedExportIsNoArchive(t *testing.T) {
	t.Parallel()
	e := &exporter{Engine: &apitest.Engine{}}
	base := serve(t, api.New(api.Options{Engine: e}))
	created, err := http.Post(base+"/api/harness/session/create", "application/json", strings.NewReader(`{"projectRoot":"/project"}`))
	if err != nil {
		t.Fatal(err)
	}
	_ = created.Body.Close()
	res, body := fetch(t, base+"/api/harness/session/s1/export")
	if res.Header.Get("Content-Disposition") != "" || !strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") || !strings.Contains(body, "STORAGE_FAILURE") {
		t.Errorf("%d %v %s", res.StatusCode, res.Header, body)
	}
	head, err := http.Head(base + "/api/harness/session/s1/export")
	if err != nil {
		t.Fatal(err)
	}
	_ = head.Body.Close()
	if head.StatusCode != http.StatusOK || head.Header.Get("Content-Type") != "application/gzip" || !strings.Contains(head.Header.Get("Content-Disposition"), "s1.tar.gz") || e.exports != 1 {
		t.Errorf("%d %v after %d exports", head.StatusCode, head.Header, e.exports)
	}
}
