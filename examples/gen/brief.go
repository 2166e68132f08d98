package main

import (
	"bytes"
	"fmt"
	"strings"
)

// brief is the text of the PDF, line by line; a line that starts with # is a
// heading.
var brief = []string{
	"#Brief: footbridge at the mill",
	"",
	"The old footbridge was closed after the flood. A new one is to stand on the",
	"same abutments, for people on foot and with a wheelchair or a pram.",
	"",
	"#What is asked for",
	"",
	"1. Clear span 18.0 m between the faces of the abutments, no pier in the water.",
	"2. Clear width between the handrails at least 1.80 m.",
	"3. Underside of the deck at least 0.60 m above the highest water on record,",
	"   which is 2.85 m above the datum of the site.",
	"4. Slope along the axis at most 6 in 100.",
	"5. Load 5.0 kN per square metre, deflection at most span / 400.",
	"6. No work in the water between 1 October and 31 March.",
	"",
	"#What is open",
	"",
	"a. Abutment B was scoured; nobody has looked at its foundation yet.",
	"b. Timber or steel: the choice is left to the proposal, with its reasons.",
	"c. The path on side B belongs to a neighbour. Consent is promised, not signed.",
	"",
	"#What is to be delivered",
	"",
	"A proposal on two pages: a sketch, the main sizes, a cost estimate with its",
	"uncertainty, and a list of what must be known before work can begin.",
}

// Brief is the brief as a PDF of one A4 page.
func Brief() []byte { return document(brief) }

// document is a PDF of one A4 page, in the fonts that every reader has.
func document(lines []string) []byte {
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R" +
			" /Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>",
		stream(page(lines)),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)
	return b.Bytes()
}

func stream(content string) string {
	return fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content)
}

// page sets lines one below the other.
func page(lines []string) string {
	var b strings.Builder
	b.WriteString("BT\n16 TL\n64 770 Td\n")
	escape := strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`)
	for _, l := range lines {
		font, size := "F1", 11
		if text, ok := strings.CutPrefix(l, "#"); ok {
			font, size, l = "F2", 13, text
		}
		fmt.Fprintf(&b, "/%s %d Tf (%s) Tj T*\n", font, size, escape.Replace(l))
	}
	b.WriteString("ET")
	return b.String()
}
