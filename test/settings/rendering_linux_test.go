package settings

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"strings"

	"codeberg.org/go-pdf/fpdf"
	"golang.org/x/image/font/gofont/goregular"
)

// rendering are the settings of pictures and PDFs as models get them.
var rendering = map[string]check{
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
