package attachment

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"pgregory.net/rapid"
)

// box is a box of MP4.
func box(kind string, content ...string) string {
	body := strings.Join(content, "")
	return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(body)))) + kind + body
}

// ftyp is the first box of MP4 and its relatives.
func ftyp(brands ...string) string {
	return box("ftyp", brands[0], "\x00\x00\x02\x00", strings.Join(brands[1:], ""))
}

// page is a page of Ogg that begins a stream.
func page(packet string) string {
	return "OggS\x00\x02" + strings.Repeat("\x00", 20) + "\x01" + string(rune(len(packet))) + packet
}

// mp3Frame is a frame of silence: MPEG 1 layer III, 128 kbit/s, 44.1 kHz.
func mp3Frame() string { return "\xff\xfb\x90\x00" + strings.Repeat("\x00", 413) }

// zipped is an archive of small files.
func zipped(t testing.TB, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: files[i], Method: zip.Store})
		if err == nil {
			_, err = w.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// wide is UTF-16 without a byte order mark.
func wide(s string, low, high int) string { return string(utf16Bytes(s, low, high)[2:]) }

func encoded(t testing.TB, encode func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The bytes say what a file is, whatever its name and its author say.
//
// Covers: attachments 10.4
func TestIdentify(t *testing.T) {
	t.Parallel()
	small := picture(3, 2, 255)
	pngData, pdfData := string(pngBytes(t, small)), string(pdfBytes(t, nil, "page"))
	jpegData := string(jpegBytes(t, small))
	bmpData := encoded(t, func(b *bytes.Buffer) error { return bmp.Encode(b, small) })
	tiffData := encoded(t, func(b *bytes.Buffer) error { return tiff.Encode(b, small, nil) })
	svg := `<svg xmlns="http://www.w3.org/2000/svg"/>`
	ebml := func(doc string) string {
		return string(append(append([]byte{0x1a, 0x45, 0xdf, 0xa3, 0x9f, 0x42, 0x86, 0x81, 1, 0x42, 0x82, 0x80 | byte(len(doc))}, doc...), 0x42, 0x87, 0x81, 4))
	}
	for _, tt := range []struct {
		name, data string
		kind       Kind
		mime       string
	}{
		// Images.
		{"png", pngData, KindImage, "image/png"},
		{"jpeg", jpegData, KindImage, "image/jpeg"},
		{"gif", string(tinyGIF), KindImage, "image/gif"},
		{"webp", string(tinyWebP), KindImage, "image/webp"},
		{"bmp", bmpData, KindImage, "image/bmp"},
		{"tiff", tiffData, KindImage, "image/tiff"},
		{"tiff, other end", "MM\x00*\x00\x00\x00\x08" + strings.Repeat("\x00", 20), KindImage, "image/tiff"},
		{"heic", ftyp("heic", "mif1", "heic"), KindImage, "image/heic"},
		{"heic under the general brand", ftyp("mif1", "mif1", "heic"), KindImage, "image/heif"},
		{"avif", ftyp("avif", "mif1", "avif"), KindImage, "image/avif"},
		{"heif without a coding", ftyp("mif1", "mif1"), KindImage, "image/heif"},
		{"photoshop", "8BPS\x00\x01" + strings.Repeat("\x00", 30), KindImage, "image/vnd.adobe.photoshop"},

		// Documents.
		{"pdf", pdfData, KindPDF, "application/pdf"},
		{"pdf behind junk", "\x00\x01junk\r\n" + pdfData, KindPDF, "application/pdf"},
		{"pdf behind much junk", strings.Repeat("#", 1000) + "\n" + pdfData, KindPDF, "application/pdf"},
		{"docx", zipped(t, "[Content_Types].xml", "<Types/>", "word/document.xml", "<w/>"), KindFile, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"},
		{"xlsx", zipped(t, "[Content_Types].xml", "<Types/>", "xl/workbook.xml", "<w/>"), KindFile, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
		{"epub", zipped(t, "mimetype", "application/epub+zip", "a", "b"), KindFile, "application/epub+zip"},
		{"zip", zipped(t, "a.txt", "a"), KindFile, "application/zip"},
		{"program", "\x7fELF\x02\x01\x01\x00" + strings.Repeat("\x00", 64), KindFile, "application/x-elf"},
		{"nothing known", "\x00\x01\x02\x03\x80\x81", KindFile, "application/octet-stream"},
		{"latin1", "gr\xfc\xdfe, sagte er", KindFile, "text/plain"},

		// Sound.
		{"mp3 with a tag", "ID3\x03\x00\x00\x00\x00\x00\x0a" + strings.Repeat("\x00", 10) + mp3Frame(), KindAudio, "audio/mpeg"},
		{"mp3 without a tag", mp3Frame() + mp3Frame(), KindAudio, "audio/mpeg"},
		{"aac", strings.Repeat("\xff\xf1\x50\x80\x01\x7f\xfc\x00\x00\x00\x00", 3), KindAudio, "audio/aac"},
		{"wav", "RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00", KindAudio, "audio/wav"},
		{"flac", "fLaC\x00\x00\x00\x22" + strings.Repeat("\x00", 34), KindAudio, "audio/flac"},
		{"opus", page("OpusHead\x01\x02\x38\x01\x80\xbb\x00\x00\x00\x00\x00"), KindAudio, "audio/ogg"},
		{"vorbis", page("\x01vorbis\x00\x00\x00\x00\x02"), KindAudio, "audio/ogg"},
		{"theora", page("\x80theora\x03\x02"), KindVideo, "video/ogg"},
		{"m4a", ftyp("M4A ", "M4A ", "mp42", "isom"), KindAudio, "audio/mp4"},
		{"aiff", "FORM\x00\x00\x00\x2eAIFFCOMM", KindAudio, "audio/aiff"},
		{"midi", "MThd\x00\x00\x00\x06\x00\x00\x00\x01\x00\x60", KindAudio, "audio/midi"},
		{"amr", "#!AMR\n\x3c\x91\x17\x16\xbe", KindAudio, "audio/amr"},

		// Film.
		{"mp4", ftyp("isom", "isom", "avc1"), KindVideo, "video/mp4"},
		{"mov", ftyp("qt  ", "qt  "), KindVideo, "video/quicktime"},
		{"old mov", box("moov", box("mvhd", strings.Repeat("\x00", 100))), KindVideo, "video/quicktime"},
		{"3gp", ftyp("3gp4", "isom"), KindVideo, "video/3gpp"},
		{"mkv", ebml("matroska"), KindVideo, "video/x-matroska"},
		{"webm", ebml("webm"), KindVideo, "video/webm"},
		{"avi", "RIFF\x24\x00\x00\x00AVI LIST\x00\x00\x00\x00hdrl", KindVideo, "video/x-msvideo"},
		{"mpeg", "\x00\x00\x01\xba\x44\x00\x04\x00", KindVideo, "video/mpeg"},
		{"flv", "FLV\x01\x05\x00\x00\x00\x09", KindVideo, "video/x-flv"},

		// Text that says what it is.
		{"svg", svg, KindText, "image/svg+xml"},
		{"svg in capitals of xml", "\ufeff <?xml version=\"1.0\"?>\n<!-- made\nby hand -->\n" + svg, KindText, "image/svg+xml"},
		{"svg with a doctype", `<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x">` + svg, KindText, "image/svg+xml"},
		{"svg with entities", `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><s:svg xmlns:s="x"/>`, KindText, "image/svg+xml"},
		{"xml", `<?xml version="1.0"?><root/>`, KindText, "application/xml"},
		{"xhtml", `<?xml version="1.0"?><!DOCTYPE html><html xmlns="x"/>`, KindText, "application/xhtml+xml"},
		{"html", "<!doctype HTML>\n<html>", KindText, "text/html"},
		{"html without a doctype", "\n<HTML lang=en><body>", KindText, "text/html"},
		{"php", "<?php echo 1;", KindText, "text/x-php"},
		{"json", ` {"a": [1, 2, {"b": null}]}`, KindText, "application/json"},
		{"a list", "[1, 2]\n", KindText, "application/json"},
		{"json in lines", "{\"a\": 1}\n{\"a\": 2}\n", KindText, "application/x-ndjson"},
		{"json with a mistake", `{"a": 1,}`, KindText, "text/plain"},
		{"a placeholder", "[to be done]", KindText, "text/plain"},
		{"yaml", "%YAML 1.2\n---\na: 1\n", KindText, "application/yaml"},
		{"yaml behind dashes", "---\na: 1\nb:\n  - 2\n", KindText, "application/yaml"},
		{"markdown with a preamble", "---\ntitle: x\n---\n# x\n", KindText, "text/markdown"},
		{"a script", "#!/usr/bin/env python3\nprint(1)\n", KindText, "text/x-python"},
		{"plain", "plain words", KindText, "text/plain"},
		{"empty", "", KindText, "text/plain"},
		{"utf-16 without a mark", wide("words, and more of them\n", 0, 1), KindText, "text/plain"},
		{"utf-16 without a mark, other end", wide("words, and more of them\n", 1, 0), KindText, "text/plain"},
		{"utf-16 json", wide(`{"wörter": ["ü", "😀"]}`, 0, 1), KindText, "application/json"},
		{"utf-16 with a mark", string(utf16Bytes(`<svg/>`, 1, 0)), KindText, "image/svg+xml"},
		{"chinese utf-16 without a mark", wide(strings.Repeat("天地玄黃，宇宙洪荒。\n", 10), 0, 1), KindText, "text/plain"},
		{"numbers in 16 bits", "\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00", KindFile, "application/octet-stream"},

		// Text that begins like something else.
		{"letters of a bitmap", "BM is how a bitmap begins", KindText, "text/plain"},
		{"letters of a tag", "ID3 tags are before the sound", KindText, "text/plain"},
		{"letters of a film", "the ftypical moovie", KindText, "text/plain"},
		{"letters of flac", "fLaC is a format, OggS another", KindText, "text/plain"},
		{"letters of a packet", strings.Repeat("GATTACA", 200), KindText, "text/plain"},
		{"letters of a chunk", "RIFF and WAVE", KindText, "text/plain"},

		// Two things at once: what is at the first byte counts.
		{"gif that is javascript", string(tinyGIF[:6]) + "/*" + string(tinyGIF[8:]) + "*/=1;alert(1)", KindImage, "image/gif"},
		{"pdf that is a zip", pdfData + zipped(t, "a", "b"), KindPDF, "application/pdf"},
		{"zip that is a pdf", zipped(t, "a", pdfData), KindFile, "application/zip"},
		{"png that is php", pngData + "<?php system($_GET['c']);", KindImage, "image/png"},
		{"jpeg that is a zip", jpegData + zipped(t, "a", "b"), KindImage, "image/jpeg"},
		{"html that quotes a pdf", "<!DOCTYPE html><html><body>%PDF-1.7", KindText, "text/html"},
		{"wav that quotes a pdf", "RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00%PDF-1.7", KindFile, "application/octet-stream"},
	} {
		if is := identify([]byte(tt.data), true, "", ""); is.kind != tt.kind || is.mime != tt.mime {
			t.Errorf("%s: got %s %s, want %s %s", tt.name, is.kind, is.mime, tt.kind, tt.mime)
		}
	}
}

// Where the bytes leave open which text it is, the author's type decides, then the
// extension; where they do not, neither counts.
//
// Covers: attachments 10.4
func TestIdentifyTies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ data, ext, hint, want string }{
		{"# x\n", ".md", "", "text/markdown"},
		{"a,b\n", ".csv", "", "text/csv"},
		{"a: 1\n", ".yaml", "", "application/yaml"},
		{"a: 1\n", "", "text/yaml; charset=utf-8", "application/yaml"},
		{"a: 1\n", ".csv", "application/x-yaml", "application/yaml"},
		{"package x\n", ".go", "", "text/x-go"},
		{"words", "", "text/vnd.x", "text/vnd.x"},
		{"<p>a", ".html", "", "text/html"},
		{"3", ".json", "", "application/json"},
		{`{"type": "Feature"}`, ".geojson", "", "application/geo+json"},
		{"<?xml version='1.0'?><rss/>", ".rss", "", "application/rss+xml"},
		{"words", ".bin", "application/zip", "text/plain"},
		{"words", ".png", "image/png", "text/plain"},
		{"words", ".svg", "image/svg+xml", "text/plain"},
		{"words", ".json", "application/json", "text/plain"},
		{"words", ".pdf", "application/pdf", "text/plain"},
		{`{"a": 1}`, ".txt", "text/csv", "application/json"},
		{"<svg/>", ".txt", "text/plain", "image/svg+xml"},
		{string(tinyGIF), ".png", "image/png", "image/gif"},
		{"\x00\x01\x80", ".mp3", "audio/mpeg", "application/octet-stream"},
	} {
		if is := identify([]byte(tt.data), true, tt.ext, tt.hint); is.mime != tt.want {
			t.Errorf("%q named %s, said to be %q: got %s, want %s", tt.data, tt.ext, tt.hint, is.mime, tt.want)
		}
	}
}

// A text that goes on behind what is looked at is typed as the whole would be.
func TestIdentifyBeginning(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ data, want string }{
		{`{"a": [` + strings.Repeat(`"wörter", 12.5, true, `, 400) + `1]}`, "application/json"},
		{strings.Repeat("{\"a\": \"wörter\"}\n", 400), "application/x-ndjson"},
		{"<?xml version=\"1.0\"?><!-- " + strings.Repeat("long ", 1000) + " --><root/>", "application/xml"},
	} {
		for cut := 1000; cut < 3000; cut += 7 {
			if is := identify([]byte(tt.data[:cut]), false, "", ""); is.kind != KindText || is.mime != tt.want {
				t.Fatalf("%.20q cut at %d: got %+v, want %s", tt.data, cut, is, tt.want)
			}
		}
	}
}

// Patterns are compared by whole words, and parameters and capitals do not count.
//
// Covers: attachments 10.4
func TestMatches(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mime    string
		pattern string
		want    bool
	}{
		{"image/png", "image/*", true},
		{"image/png; q=1", "IMAGE/*", true},
		{"imagefoo/x", "image/*", false},
		{"image", "image/*", false},
		{"text/plain; charset=utf-8", "text/plain", true},
		{"text/plain", "text/plain;charset=utf-8", true},
		{"image/jpeg", "image/jpg", true},
		{"audio/wav", "audio/x-wav", true},
		{"application/zip", "*/*", true},
		{"application/zip", "*", true},
		{"application/zip", "application/pdf", false},
		{"application/zip", "", false},
		{"application/pdfx", "application/pdf", false},
	} {
		if got := matches(tt.mime, []string{"x/y", tt.pattern}); got != tt.want {
			t.Errorf("%s by %s: got %v", tt.mime, tt.pattern, got)
		}
	}
}

// Whatever text it is, short of a signature with bytes that no text has, it is
// typed as text.
func TestTextIsText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		begin := rapid.SampledFrom([]string{"", "ID3", "fLaC", "OggS", "RIFF....WAVE", "BM", "....ftypM4A ", "moov", "#!AMR\n", "PK", "<", "{", "---\n"}).Draw(r, "begin")
		data := begin + strings.ReplaceAll(rapid.String().Draw(r, "text"), "\x00", "")
		if is := identify([]byte(data), true, "", ""); is.kind != KindText {
			r.Errorf("%q: %+v", data, is)
		}
	})
}

// Nothing makes typing panic, and what has a kind has a type.
func FuzzIdentify(f *testing.F) {
	for _, s := range []string{"<svg/>", `{"a":1}`, "---\na: b\n", mp3Frame() + mp3Frame(), ftyp("isom", "M4A "), page("OpusHead"), wide("words", 0, 1)} {
		f.Add([]byte(s), true, ".md", "text/x")
	}
	f.Fuzz(func(t *testing.T, data []byte, whole bool, ext, hint string) {
		is := identify(data, whole, ext, hint)
		if is.kind == "" || !strings.Contains(is.mime, "/") || strings.Contains(is.mime, ";") && is.kind != KindText {
			t.Errorf("%+v", is)
		}
		if is.kind == KindImage && kindOf(is.mime) != KindImage || is.charset != "" && is.kind != KindText {
			t.Errorf("%+v", is)
		}
	})
}

// What is served under a type is an item of its kind.
func TestKindOf(t *testing.T) {
	t.Parallel()
	for mime, want := range map[string]Kind{
		"image/png": KindImage, "image/svg+xml": KindText, "image/heic": KindFile, "application/pdf": KindPDF, "text/csv; charset=x": KindText,
		"application/json": KindText, "audio/wav": KindAudio, "video/mp4": KindVideo, "application/zip": KindFile, "text/uri-list": KindURL, "": KindFile,
	} {
		if got := KindOf(mime); got != want {
			t.Errorf("%s: got %s, want %s", mime, got, want)
		}
	}
}
