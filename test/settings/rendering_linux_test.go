package settings

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/goregular"
)

// rendering are the settings of pictures and PDFs as models get them.
var rendering = map[string]check{
	"attachments.max_pixels": {
		set: "1000", shows: `attachments.max_pixels`, without: `downscaled`,
		see: func(b *bench) string { picture(b, "wide.png", 9000, 10); return b.run("attach", "inspect", "wide.png") },
	},
	"attachments.pixel_budget": {
		set: "1000000000", also: settings{"attachments.work_limit": "1h"},
		shows: `^small, large`, without: `^large, small`,
		see: func(b *bench) string {
			// A picture above the budget is decoded alone: a small one waits for it. It
			// is not so small that it could overtake the answer about the large one.
			large, small := picture(b, "large.png", 9000, 5700), picture(b, "small.png", 9000, 1500)
			s := b.serve()
			before := s.memory()
			order := make(chan string, 2)
			look := func(name, path string) {
				res, err := http.Post(s.url+"/api/harness/attachments/inspect", "application/json", strings.NewReader(fmt.Sprintf(`{"attachments":[%q]}`, path)))
				if err == nil {
					_ = res.Body.Close()
				}
				order <- name
			}
			go look("large", large)
			b.eventually("the large picture is being decoded", func() bool { return s.memory() > before+(40<<10) })
			go look("small", small)
			return <-order + ", " + <-order
		},
	},
	"attachments.work_limit": {
		set: "100ms", shows: `attachments.work_limit`, without: `downscaled`,
		see: func(b *bench) string {
			picture(b, "large.png", 9000, 9000)
			return b.run("attach", "inspect", "large.png")
		},
	},
	"attachments.rendition_cache_bytes": {
		set: "1MiB", shows: `^1 pictures`, without: `^2 pictures`,
		see: func(b *bench) string {
			picture(b, "a.png", 9000, 8000)
			picture(b, "b.png", 9000, 8001)
			b.run("attach", "inspect", "a.png")
			b.age(b.home+"/cache", time.Hour) // what was just used stays
			b.run("attach", "inspect", "b.png")
			files := b.under(b.home + "/cache")
			return fmt.Sprintf("%d pictures\n%s", strings.Count(files, ".bin"), files)
		},
	},
	"attachments.pdf_text_bytes": {
		set: "1KiB", shows: `^1 requests`, without: `line 99\b`,
		see: func(b *bench) string {
			document(b, "long.pdf", numbered(100))
			p := b.provider(0)
			b.turn("--attach", "long.pdf", "go")
			if text := p.asked(); !b.standard && !strings.Contains(text, "line 99") && strings.Contains(text, "line 3") {
				return text
			}
			return strings.TrimPrefix(p.asked(), "1 requests")
		},
	},
	"attachments.pdf_idle": {
		set: "1s", shows: `^it went`, without: `^it stays`,
		see: func(b *bench) string {
			path := document(b, "locked.pdf", "the engine reads this")
			s := b.serve()
			s.ask("POST", "/api/harness/attachments/inspect", map[string]any{"attachments": []string{path}})
			if !b.standard {
				b.settled(func() bool { return !s.engine() })
			}
			if b.settled(func() bool { return !s.engine() }) {
				return "it went"
			}
			return "it stays"
		},
	},
	"attachments.pdf_interpreted": {
		set: "true", shows: `^no code`, without: `^code`,
		see: func(b *bench) string {
			path := document(b, "locked.pdf", "the engine reads this")
			s := b.serve()
			s.ask("POST", "/api/harness/attachments/inspect", map[string]any{"attachments": []string{path}})
			for line := range strings.Lines(s.proc("maps")) {
				if f := strings.Fields(line); len(f) == 5 && strings.Contains(f[1], "x") { // of no file
					return "code " + line
				}
			}
			return "no code"
		},
	},
}

// picture makes a picture of one colour.
func picture(b *bench, name string, width, height int) string {
	b.t.Helper()
	p := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White, color.Black})
	var data bytes.Buffer
	must(b.t, (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&data, p))
	return b.file(name, data.String())
}

// document makes a PDF with a line of text for each line.
func document(b *bench, name, text string) string {
	b.t.Helper()
	d := fpdf.New("P", "mm", "A4", "")
	if name == "locked.pdf" { // only the engine reads it
		d.SetProtection(fpdf.CnProtectPrint, "", "owner")
	}
	d.AddUTF8FontFromBytes("go", "", goregular.TTF)
	d.SetFont("go", "", 11)
	d.AddPage()
	for line := range strings.Lines(text) {
		d.CellFormat(0, 6, strings.TrimSpace(line), "", 1, "L", false, 0, "")
	}
	var data bytes.Buffer
	must(b.t, d.Output(&data))
	return b.file(name, data.String())
}

// memory is what the server holds beside its own program, in KiB.
func (s *server) memory() (n int) {
	s.t.Helper()
	_, rest, _ := strings.Cut(s.proc("status"), "RssAnon:")
	_, err := fmt.Sscan(rest, &n)
	must(s.t, err)
	return n
}

// engine reports whether the server has the PDF engine in memory: its sandbox is a
// region of 128 MiB.
func (s *server) engine() bool {
	s.t.Helper()
	for line := range strings.Lines(s.proc("maps")) {
		var from, to uint64
		if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err == nil && to-from >= 128<<20 && to-from < 129<<20 {
			return true
		}
	}
	return false
}
