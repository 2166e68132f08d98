package upstreamtest

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"belay/internal/fault"
)

// encodings are how software repeats a key.
var encodings = map[string]func(string) string{
	"raw":   func(s string) string { return s },
	"query": url.QueryEscape,
	"query lower": func(s string) string {
		return strings.NewReplacer("%2B", "%2b", "%3D", "%3d", "%2F", "%2f").Replace(url.QueryEscape(s))
	},
	"path":         url.PathEscape,
	"twice":        func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
	"base64":       func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"in a longer":  func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte("u:" + s + ":p")) },
	"hex":          func(s string) string { return hex.EncodeToString([]byte(s)) },
	"as a header":  func(s string) string { return "Bearer " + s },
	"cut in half":  func(s string) string { return strings.Repeat("x", 595) + s },
	"cut by cause": func(s string) string { return strings.Repeat("x", 295) + s },
}

// Leaks checks that no error repeats the key, however the service does. Services are
// those that paths makes for an encoding of key, and those of any protocol.
func (k Kit) Leaks(t *testing.T, key string, paths func(encoded string) map[string]string) {
	for encoding, encode := range encodings {
		encoded := encode(key)
		all := paths(encoded)
		all["not a stream"] = Answering(t, http.StatusOK, http.Header{"Content-Type": {"text/" + url.QueryEscape(encoded)}}, encoded)
		all["broken header"] = BrokenHeader(t, encoded)
		all["redirect"] = Answering(t, http.StatusFound, http.Header{"Location": {"/?k=" + url.QueryEscape(encoded)}}, "")
		all["redirected off"] = Answering(t, http.StatusFound, http.Header{"Location": {"https://" + hex.EncodeToString([]byte(encoded))[:40] + ".test/?k=" + url.QueryEscape(encoded)}}, "")
		for path, target := range all {
			_, err := Collect(k.New(t, target).Stream(t.Context(), ask("x")))
			f := fault.From(err)
			if f == nil {
				t.Errorf("%s, %s: no error", path, encoding)
				continue
			}
			wire, err := json.Marshal(f.Body())
			if err != nil {
				t.Fatal(err)
			}
			everything := string(wire) + f.Message + f.Error() + fmt.Sprint(f.Details, f.Cause)
			for _, piece := range []string{encoded, key, key[:16]} {
				if strings.Contains(everything, piece) {
					t.Errorf("%s, %s: %q is in %s", path, encoding, piece, everything)
				}
			}
		}
	}
}
