package files

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	textencoding "golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
)

// encoding is how a text file's characters are stored. A change keeps it.
type encoding string

// The encodings that are read.
const (
	utf8Plain   encoding = "UTF-8"
	utf8BOM     encoding = "UTF-8 with a byte order mark"
	utf16Little encoding = "UTF-16LE"
	utf16Big    encoding = "UTF-16BE"
)

// marks are the byte order marks. Only with one is a file taken for UTF-16.
var marks = map[encoding]string{utf8BOM: "\xef\xbb\xbf", utf16Little: "\xff\xfe", utf16Big: "\xfe\xff"}

// notText says why bytes are not text. It continues a sentence that begins with
// the file's name.
type notText struct{ why string }

func (e notText) Error() string { return e.why }

// encodingOf tells the encoding from a file's first bytes.
func encodingOf(head []byte) encoding {
	for _, e := range []encoding{utf8BOM, utf16Little, utf16Big} {
		if bytes.HasPrefix(head, []byte(marks[e])) {
			return e
		}
	}
	return utf8Plain
}

// decodeText returns the characters of a text file as UTF-8 without a mark. What
// is not text is a notText.
func decodeText(data []byte) (string, encoding, error) {
	text, e, err := characters(data)
	return string(text), e, err
}

// characters is decodeText that shares the bytes of what is UTF-8 already.
func characters(data []byte) ([]byte, encoding, error) {
	e := encodingOf(data)
	body := data[len(marks[e]):]
	if e == utf16Little || e == utf16Big {
		text, err := decodeUTF16(body, e)
		return text, e, err
	}
	if at := bytes.IndexByte(body, 0); at >= 0 {
		return nil, e, notText{"is binary: it has a zero byte"}
	}
	if !utf8.Valid(body) {
		at := firstInvalid(body)
		return nil, e, notText{fmt.Sprintf("is not UTF-8 text: byte %d of it is 0x%02x", at+len(marks[e]), body[at])}
	}
	return body, e, nil
}

// encodeText is the inverse of decodeText.
func encodeText(text string, e encoding) []byte {
	if e != utf16Little && e != utf16Big {
		return []byte(marks[e] + text)
	}
	body, err := utf16Form(e).NewEncoder().String(text)
	if err != nil {
		panic("files: UTF-16 cannot hold a text: " + err.Error()) // it replaces what is no character
	}
	return []byte(marks[e] + body)
}

func utf16Form(e encoding) textencoding.Encoding {
	if e == utf16Big {
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	}
	return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
}

func decodeUTF16(body []byte, e encoding) ([]byte, error) {
	if len(body)%2 != 0 {
		return nil, notText{"is not UTF-16 text: it has an odd number of bytes"}
	}
	text, err := utf16Form(e).NewDecoder().Bytes(body)
	switch {
	case err != nil || string(encodeText(string(text), e)) != marks[e]+string(body): // it replaces what is none
		return nil, notText{"is not UTF-16 text: half of a character is missing"}
	case bytes.IndexByte(text, 0) >= 0:
		return nil, notText{"is binary: it has a zero character"}
	}
	return text, nil
}

// firstInvalid returns the index of the first byte that is not UTF-8.
func firstInvalid(p []byte) int {
	for i := 0; i < len(p); {
		r, size := utf8.DecodeRune(p[i:])
		if r == utf8.RuneError && size <= 1 {
			return i
		}
		i += size
	}
	return len(p)
}
