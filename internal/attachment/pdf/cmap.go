package pdf

import (
	"errors"
	"sort"
	"unicode/utf16"
	"unicode/utf8"
)

// maxCodes bounds the entries of one Unicode map, maxCodeText the bytes of what
// one code stands for: more than any ligature, and little times a whole string.
const (
	maxCodes    = 100_000
	maxCodeText = 64
)

// cmap maps character codes to text, as a ToUnicode stream states it.
type cmap struct {
	// The code lengths in bytes that the code space ranges announce.
	one, two bool
	chars    map[int]string
	ranges   []codeRange
}

// codeRange maps low..high to consecutive characters from first on.
type codeRange struct {
	low, high int
	first     string
}

// length returns how many bytes of s make the next code of a composite font: two
// unless the map says one.
func (m *cmap) length(s str) int {
	if m.one {
		return 1
	}
	return min(2, len(s))
}

func (m *cmap) text(code int) (string, bool) {
	if s, ok := m.chars[code]; ok {
		return s, true
	}
	i := sort.Search(len(m.ranges), func(i int) bool { return m.ranges[i].high >= code })
	if i == len(m.ranges) || m.ranges[i].low > code {
		return "", false
	}
	r := m.ranges[i]
	last, size := utf8.DecodeLastRuneInString(r.first)
	return r.first[:len(r.first)-size] + string(last+rune(code-r.low)), true
}

// parseCMap reads the three kinds of section that matter. A code space of mixed
// lengths is not supported.
func parseCMap(data []byte) (*cmap, error) {
	m := &cmap{chars: map[int]string{}}
	l := &lexer{data: data}
	var stack []any
	for {
		v, err := l.value()
		if errors.Is(err, errEnd) {
			break
		}
		if err != nil {
			return nil, unsupported(err)
		}
		o, ok := v.(op)
		if !ok {
			if stack = append(stack, v); len(stack) > 3*maxCodes {
				return nil, ErrUnsupported
			}
			continue
		}
		switch o {
		case "endcodespacerange":
			for _, v := range stack {
				if s, ok := v.(str); ok {
					m.one = m.one || len(s) == 1
					m.two = m.two || len(s) == 2
				}
			}
		case "endbfchar":
			for ; len(stack) >= 2; stack = stack[2:] {
				m.add(stack[0], stack[1])
			}
		case "endbfrange":
			for ; len(stack) >= 3; stack = stack[3:] {
				m.addRange(stack[0], stack[1], stack[2])
			}
		}
		stack, l.values = stack[:0], 0
		if len(m.chars)+len(m.ranges) > maxCodes {
			return nil, ErrUnsupported
		}
	}
	if m.one && m.two {
		return nil, ErrUnsupported
	}
	sort.Slice(m.ranges, func(i, j int) bool { return m.ranges[i].high < m.ranges[j].high })
	return m, nil
}

func (m *cmap) add(from, to any) {
	code, ok := from.(str)
	text, isText := to.(str)
	if ok && isText && len(code) > 0 && len(code) <= 2 {
		m.chars[codeOf(code)] = utf16Text(text)
	}
}

func (m *cmap) addRange(from, to, first any) {
	low, ok1 := from.(str)
	high, ok2 := to.(str)
	if !ok1 || !ok2 || len(low) == 0 || len(low) > 2 || len(high) > 2 {
		return
	}
	a, b := codeOf(low), codeOf(high)
	if b < a {
		return
	}
	switch first := first.(type) {
	case str:
		if text := utf16Text(first); text != "" {
			m.ranges = append(m.ranges, codeRange{a, b, text})
		}
	case array:
		for i, v := range first {
			if s, ok := v.(str); ok && a+i <= b {
				m.chars[a+i] = utf16Text(s)
			}
		}
	}
}

func codeOf(s str) int {
	code := 0
	for i := range len(s) {
		code = code<<8 | int(s[i])
	}
	return code
}

// utf16Text decodes big-endian UTF-16; a single byte is itself.
func utf16Text(s str) string {
	if len(s) == 1 {
		return string(rune(s[0]))
	}
	if len(s) > maxCodeText {
		return string(utf8.RuneError)
	}
	units := make([]uint16, 0, len(s)/2)
	for i := 0; i+1 < len(s); i += 2 {
		units = append(units, uint16(s[i])<<8|uint16(s[i+1]))
	}
	return string(utf16.Decode(units))
}
