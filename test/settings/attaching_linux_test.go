package settings

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
)

// attaching are the limits of what a turn attaches.
var attaching = map[string]check{
	"attachments.roots": {
		set: "project", shows: `"ok":false`, without: `"ok":true`,
		see: func(b *bench) string { return b.inspect(b.file(b.other+"/a.txt", "x")) },
	},
	"attachments.extensions": {
		set: "[.png]", shows: `"ok":false`, without: `"ok":true`,
		see: func(b *bench) string { return b.inspect(b.file("a.txt", "x")) },
	},
	"attachments.max_items": {
		set: "1", shows: `"ok":false|status 4`, without: `"ok":true.*"ok":true`,
		see: func(b *bench) string { return b.inspect(b.file("a.txt", "x"), b.file("b.txt", "y")) },
	},
	"attachments.file_bytes": {
		set: "1KiB", shows: `"ok":false`, without: `"ok":true`,
		see: func(b *bench) string { return b.inspect(b.file("a.txt", strings.Repeat("x\n", 1000))) },
	},
	"attachments.turn_bytes": {
		set: "3KiB", shows: `"ok":true.*"ok":false`, without: `"ok":true.*"ok":true`,
		see: func(b *bench) string {
			return b.inspect(b.file("a.txt", strings.Repeat("x\n", 1000)), b.file("b.txt", strings.Repeat("y\n", 1000)))
		},
	},
	"attachments.upload_bytes": {
		set: "1KiB", shows: `^status 413`, without: `^status 20`,
		see: func(b *bench) string {
			s := b.serve()
			var body bytes.Buffer
			form := multipart.NewWriter(&body)
			part, err := form.CreateFormFile("file", "a.txt")
			must(b.t, err)
			fmt.Fprint(part, strings.Repeat("x\n", 1000))
			must(b.t, form.Close())
			res, err := http.Post(s.url+"/api/harness/attachments?sessionId="+s.session(), form.FormDataContentType(), &body)
			must(b.t, err)
			defer res.Body.Close()
			text, _ := io.ReadAll(res.Body)
			return fmt.Sprintf("status %d\n%s", res.StatusCode, text)
		},
	},
}

// inspect is what a server would make of files.
func (b *bench) inspect(paths ...string) string {
	b.t.Helper()
	return b.serve().ask("POST", "/api/harness/attachments/inspect", map[string]any{"attachments": paths, "projectRoot": b.project})
}
