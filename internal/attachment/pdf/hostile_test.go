package pdf_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// fileBytes is what an attachment may have: the attacks that only work by size
// are this long.
const fileBytes = 10 << 20

// hostile are files that were made to cost. Each is built when asked for.
var hostile = map[string]func() []byte{
	// Values within values, and floods of tokens, with nothing else in the file.
	"open brackets":         func() []byte { return filled("[") },
	"open dictionaries":     func() []byte { return filled("<<") },
	"dictionaries in keys":  func() []byte { return filled("<</A ") },
	"open parentheses":      func() []byte { return filled("(") },
	"an object of brackets": func() []byte { return filled("[", "1 0 obj\n") },
	"numbers":               func() []byte { return filled("1 ") },
	"names":                 func() []byte { return filled("/") },
	"comments":              func() []byte { return filled("%") },
	"object headers":        func() []byte { return filled("1 0 obj\n") },
	"trailers":              func() []byte { return filled("trailer<<\n") },
	"tables":                func() []byte { return filled("xref\n0 1\n") },
	// The same in a file that could be one.
	"a catalogue of brackets": func() []byte {
		return raw(root, strings.Repeat("[", fileBytes/2)+strings.Repeat("]", fileBytes/2))
	},
	"a catalogue of dictionaries": func() []byte { return raw(root, strings.Repeat("<</A ", fileBytes/5)) },
	"a catalogue of parentheses":  func() []byte { return raw(root, strings.Repeat("(", fileBytes)) },
	// Little that unpacks to a lot.
	"a bomb":               func() []byte { return onePage(flate("", strings.Repeat(" ", 48<<20))) },
	"a bomb within a bomb": func() []byte { return onePage(twiceFlate(strings.Repeat(" ", 48<<20))) },
	"a bomb read again": func() []byte {
		return raw(root, catalog, kids, "<< /Type /Page /Contents ["+strings.Repeat("4 0 R ", 10_000)+"] >>",
			flate("", strings.Repeat("q Q ", 1<<18)))
	},
	"a bomb of objects": func() []byte {
		return raw(root, flate("/Type /ObjStm /N 1000000 /First 100", strings.Repeat("1 0 ", 48<<20)))
	},
	"a bomb of another filter": func() []byte {
		return onePage(flate("/DecodeParms << /Predictor 12 /Columns 1 >>", strings.Repeat("\x00 ", 48<<20)))
	},
	"content of brackets":    func() []byte { return onePage(flate("", strings.Repeat("[", fileBytes))) },
	"an array of numbers":    func() []byte { return onePage(flate("", "BT /F 9 Tf ["+strings.Repeat("1 ", 7<<20))) },
	"an array of strings":    func() []byte { return onePage(flate("", "BT /F 9 Tf ["+strings.Repeat("()", 7<<20)+"]TJ")) },
	"operators":              func() []byte { return onePage(flate("", strings.Repeat("BT ET ", 2<<20))) },
	"saved states":           func() []byte { return onePage(flate("", strings.Repeat("q ", 7<<20))) },
	"forms within forms":     formsInForms,
	"a code that is a novel": novelCode,
	// Trees and chains.
	"pages that return": func() []byte {
		return raw(root, catalog, "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2000000000 >>")
	},
	"pages that double": pagesThatDouble,
	"deep pages":        deepPages,
	"100,000 pages":     manyPages,
	"objects that extend themselves": func() []byte {
		return raw(root, flate("/Type /ObjStm /N 1 /First 4 /Extends 1 0 R", "2 0 <</Type/Catalog>>"))
	},
	"a chain of tables":       chainOfTables,
	"a table that is its own": func() []byte { return withTable("0 0", "/Prev %d") },
	"streams that do not end": streamsWithoutEnd,
	"fonts":                   manyFonts,
	"widths without end":      func() []byte { return widths("0 65535 9 ", 100_000) },
	"widths that are shared": func() []byte {
		return sharedByFonts(4000, "/Subtype /Type1 /FirstChar -9999 /Widths 5 0 R", "["+strings.Repeat("1 ", 2000)+"]")
	},
	"a map that is shared": func() []byte {
		return sharedByFonts(330, "/Subtype /Type1 /ToUnicode 5 0 R", flate("", "<0000><ffff>["+strings.Repeat("<1><22>", 1<<15)+"] endbfrange"))
	},
	"a map for each font": func() []byte {
		return mapForEachFont(40, "<0000><ffff>["+strings.Repeat("<1><22>", 1<<15)+"] endbfrange")
	},
	"widths past every number": func() []byte { return widths("-9000000000000000000 9000000000000000000 9 ", 1) },
	// Numbers that lie.
	"a count that lies":    func() []byte { return raw(root, catalog, "<< /Kids [3 0 R] /Count 2147483647 >>", "<< /Type /Page >>") },
	"a length that lies":   func() []byte { return onePage("<< /Length 2147483647 >>\nstream\nBT ET\nendstream") },
	"a length below zero":  func() []byte { return onePage("<< /Length -1 >>\nstream\nBT ET\nendstream") },
	"a table that lies":    func() []byte { return withTable("0 4294967295", "/Size 4294967295") },
	"objects that are not": func() []byte { return raw(root, flate("/Type /ObjStm /N 2147483647 /First 2147483647", "1 0")) },
	"columns without end": func() []byte {
		return onePage(flate("/DecodeParms << /Predictor 12 /Columns 2147483647 /Colors 4 >>", "BT ET"))
	},
	"filters without end": func() []byte {
		return onePage(streamObject("/Filter ["+strings.Repeat("/FlateDecode ", 100_000)+"]", "x"))
	},
	"a picture without end": func() []byte {
		return onePage(flate("", strings.Repeat("BI /W 99999 /H 99999 /BPC 8 /CS /RGB ID x EI ", 100_000)))
	},
	"a stream table that lies": func() []byte {
		return raw(root, flate("/Type /XRef /Size 2147483647 /Root 1 0 R /W [0 0 0] /Index [0 2147483647]", "x"))
	},
}

const (
	root    = "<< /Root 1 0 R >>"
	catalog = "<< /Type /Catalog /Pages 2 0 R >>"
	kids    = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
	helv    = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
)

// filled is a file of one token, after what precedes it.
func filled(token string, before ...string) []byte {
	return []byte("%PDF-1.7\n" + strings.Join(before, "") + strings.Repeat(token, fileBytes/len(token)))
}

// onePage is a file with one page of the given contents, which may use the font F.
func onePage(contents string) []byte {
	return raw(root, catalog, kids,
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
		contents, helv)
}

func zipped(data string) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write([]byte(data)) // a buffer does not fail
	_ = z.Close()
	return b.String()
}

func twiceFlate(data string) string {
	return streamObject("/Filter [/FlateDecode /FlateDecode]", zipped(zipped(data)))
}

// sharedByFonts is a file whose many fonts share one object.
func sharedByFonts(fonts int, font, shared string) []byte {
	objects := []string{catalog, kids, "", "", shared}
	for range fonts {
		objects = append(objects, "<< /Type /Font /Encoding /WinAnsiEncoding "+font+" >>")
	}
	return usesFonts(objects, 6, fonts, 1)
}

// mapForEachFont is a file in which each font has a Unicode map of its own.
func mapForEachFont(fonts int, unicode string) []byte {
	objects := []string{catalog, kids, "", ""}
	for i := range fonts {
		objects = append(objects, flate("", unicode), fmt.Sprintf("<< /Type /Font /Subtype /Type1 /ToUnicode %d 0 R >>", 5+2*i))
	}
	return usesFonts(objects, 6, fonts, 2)
}

// usesFonts is a file whose page uses fonts, which are every so many objects from the first on.
func usesFonts(objects []string, first, fonts, every int) []byte {
	var content, names strings.Builder
	for i := range fonts {
		fmt.Fprintf(&names, "/F%d %d 0 R ", i, first+every*i)
		fmt.Fprintf(&content, "/F%d 1 Tf (a) Tj\n", i)
	}
	objects[2] = "<< /Type /Page /Contents 4 0 R /Resources << /Font << " + names.String() + ">> >> >>"
	objects[3] = flate("", "BT\n"+content.String()+"ET")
	return raw(root, objects...)
}

func formsInForms() []byte {
	objects := []string{catalog, kids,
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>",
		flate("", "/X Do")}
	for i := range 20 {
		objects = append(objects, flate(fmt.Sprintf("/Subtype /Form /BBox [0 0 600 800] /Resources << /XObject << /X %d 0 R >> >>", i+6),
			strings.Repeat("/X Do ", 20)))
	}
	return raw(root, objects...)
}

// novelCode has a font in which one letter stands for a megabyte, and a string of
// a million of that letter.
func novelCode() []byte {
	return raw(root, catalog, kids,
		"<< /Type /Page /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
		flate("", "BT /F 9 Tf ("+strings.Repeat("A", 1<<20)+") Tj ET"),
		"<< /Subtype /Type1 /ToUnicode 6 0 R >>",
		flate("", "1 beginbfchar <41> <"+strings.Repeat("0042", 1<<19)+"> endbfchar"))
}

func pagesThatDouble() []byte {
	objects := []string{catalog}
	for i := range 40 {
		objects = append(objects, fmt.Sprintf("<< /Type /Pages /Kids [%d 0 R %d 0 R] /Count 2 >>", i+3, i+3))
	}
	return raw(root, append(objects, "<< /Type /Page >>")...)
}

func deepPages() []byte {
	objects := []string{catalog}
	for i := range 100_000 {
		objects = append(objects, fmt.Sprintf("<< /Type /Pages /Kids [%d 0 R] /Count 1 /Parent %d 0 R >>", i+3, i+1))
	}
	return raw(root, append(objects, "<< /Type /Page >>")...)
}

func manyPages() []byte {
	objects := []string{catalog, ""}
	var list strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&list, "%d 0 R ", i+3)
		objects = append(objects, "<< /Type /Page /Parent 2 0 R >>")
	}
	objects[1] = "<< /Type /Pages /Kids [" + list.String() + "] /Count 100000 >>"
	return raw(root, objects...)
}

// withTable is a page with a cross-reference table of its own section and
// trailer, in which %d is where the table begins.
func withTable(section, trailer string) []byte {
	file := onePage(flate("", "BT ET"))
	at := len(file)
	if strings.Contains(trailer, "%d") {
		trailer = fmt.Sprintf(trailer, at)
	}
	return fmt.Appendf(file, "xref\n%s\ntrailer\n<< /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", section, trailer, at)
}

func chainOfTables() []byte {
	file := onePage(flate("", "BT ET"))
	before := 0
	for range 100_000 {
		at := len(file)
		file = fmt.Appendf(file, "xref\n0 0\ntrailer\n<< /Root 1 0 R /Size 9 /Prev %d >>\n", before)
		before = at
	}
	return fmt.Appendf(file, "startxref\n%d\n%%%%EOF\n", before)
}

func streamsWithoutEnd() []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n")
	for i := 2; b.Len() < fileBytes; i++ {
		fmt.Fprintf(&b, "%d 0 obj<</Length 9>>stream\n", i)
	}
	b.WriteString("trailer<</Root 1 0 R>>")
	return b.Bytes()
}

func manyFonts() []byte {
	objects := []string{catalog, kids, "", ""}
	var list, content strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&list, "/F%d %d 0 R ", i, i+5)
		fmt.Fprintf(&content, "/F%d 9 Tf (x) Tj ", i)
		objects = append(objects, helv)
	}
	objects[2] = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << " + list.String() + " >> >> >>"
	objects[3] = flate("", "BT "+content.String()+"ET")
	return raw(root, objects...)
}

// widths is a page whose composite font states the same range of widths again
// and again.
func widths(entry string, times int) []byte {
	return raw(root, catalog, kids,
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
		flate("", "BT /F 9 Tf <0041> Tj ET"),
		"<< /Type /Font /Subtype /Type0 /BaseFont /H /Encoding /Identity-H /ToUnicode 6 0 R /DescendantFonts [<< /Type /Font"+
			" /Subtype /CIDFontType2 /BaseFont /H /W ["+strings.Repeat(entry, times)+"] >>] >>",
		flate("", "1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfrange <0000> <FFFF> <0000> endbfrange"))
}
