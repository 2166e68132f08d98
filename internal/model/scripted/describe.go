package scripted

import (
	"fmt"
	"strconv"

	"belay/internal/attachment"
)

// describe says in one line what the model received.
func describe(p attachment.Part) string {
	switch p := p.(type) {
	case attachment.ImagePart:
		size := "size unknown"
		if p.Width > 0 && p.Height > 0 {
			size = fmt.Sprintf("%d x %d pixels", p.Width, p.Height)
		}
		return line("image", p.MIMEType, p.Content, size, p.Name)
	case attachment.DocumentPart:
		pages := "pages unknown"
		switch {
		case p.Pages == 1:
			pages = "1 page"
		case p.Pages > 1:
			pages = fmt.Sprintf("%d pages", p.Pages)
		}
		return line("pdf", p.MIMEType, p.Content, pages, p.Name)
	case attachment.MediaPart:
		return line(string(p.Kind), p.MIMEType, p.Content, "", p.Name)
	case attachment.ImageURLPart:
		return fmt.Sprintf("Received image %s: at %s.", strconv.Quote(p.Name), p.URL)
	case attachment.TextDocumentPart:
		return line("text", p.MIMEType, p.Content, "", p.Name)
	default:
		return fmt.Sprintf("Received %T.", p)
	}
}

func line(kind, mime string, c attachment.Content, extra, name string) string {
	if extra != "" {
		extra = ", " + extra
	}
	return fmt.Sprintf("Received %s %s: %s, %s bytes%s.", kind, strconv.Quote(name), mime, grouped(c.Size()), extra)
}

// grouped writes n with a comma between thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
