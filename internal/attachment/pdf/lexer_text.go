package pdf

import (
	"bytes"
)

func (l *lexer) name() (any, error) {
	l.pos++ // the slash
	raw := l.regular()
	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] == '#' && i+2 < len(raw) {
			hi, lo := unhex(raw[i+1]), unhex(raw[i+2])
			if hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, raw[i])
	}
	return name(out), nil
}

// hex skips a string that is written in hexadecimal digits, <48 65>.
func (l *lexer) hex() (any, error) {
	n := bytes.IndexByte(l.data[l.pos:], '>')
	if n < 0 {
		return nil, errEnd
	}
	l.pos += n + 1
	return str{}, nil
}

// literal skips a string that is written in parentheses.
func (l *lexer) literal() (any, error) {
	n, deep := literalEnd(l.data[l.pos:])
	if deep {
		return nil, errSyntax
	}
	l.pos += n
	if l.pos >= len(l.data) {
		return nil, errEnd
	}
	l.pos++
	return str{}, nil
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
