package files

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
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
	e := encodingOf(data)
	body := data[len(marks[e]):]
	if e == utf16Little || e == utf16Big {
		text, err := decodeUTF16(body, byteOrder(e))
		return text, e, err
	}
	if at := bytes.IndexByte(body, 0); at >= 0 {
		return "", e, notText{"is binary: it has a zero byte"}
	}
	if !utf8.Valid(body) {
		at := firstInvalid(body)
		return "", e, notText{fmt.Sprintf("is not UTF-8 text: byte %d of it is 0x%02x", at+len(marks[e]), body[at])}
	}
	return string(body), e, nil
}

// encodeText is the inverse of decodeText.
func encodeText(text string, e encoding) []byte {
	if e != utf16Little && e != utf16Big {
		return []byte(marks[e] + text)
	}
	order := byteOrder(e)
	data := []byte(marks[e])
	for _, r := range text {
		for _, unit := range utf16.AppendRune(nil, r) {
			data = order.AppendUint16(data, unit)
		}
	}
	return data
}

type endian interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

func byteOrder(e encoding) endian {
	if e == utf16Big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

func decodeUTF16(body []byte, order endian) (string, error) {
	if len(body)%2 != 0 {
		return "", notText{"is not UTF-16 text: it has an odd number of bytes"}
	}
	text := make([]byte, 0, len(body))
	for i := 0; i < len(body); i += 2 {
		r := rune(order.Uint16(body[i:]))
		if utf16.IsSurrogate(r) {
			low := utf8.RuneError
			if i += 2; i < len(body) {
				low = rune(order.Uint16(body[i:]))
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				return "", notText{"is not UTF-16 text: half of a character is missing"}
			}
		}
		if r == 0 {
			return "", notText{"is binary: it has a zero character"}
		}
		text = utf8.AppendRune(text, r)
	}
	return string(text), nil
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
