package pdf

// hex reads a string that is written in hexadecimal digits, <48 65>.
func (l *lexer) hex() (any, error) {
	l.pos++ // the bracket
	var out []byte
	half := -1
	for ; l.pos < len(l.data); l.pos++ {
		c := l.data[l.pos]
		if c == '>' {
			l.pos++
			if half >= 0 {
				out = append(out, byte(half<<4))
			}
			return str(out), nil
		}
		d := unhex(c)
		switch {
		case d < 0 && !isSpace(c):
			return nil, errSyntax
		case d < 0:
		case half < 0:
			half = d
		default:
			out = append(out, byte(half<<4|d))
			half = -1
		}
	}
	return nil, errEnd
}

// literal reads a string that is written in parentheses.
func (l *lexer) literal() (any, error) {
	l.pos++ // the parenthesis
	var out []byte
	for open := 1; l.pos < len(l.data); {
		c := l.data[l.pos]
		l.pos++
		switch c {
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				return str(out), nil
			}
		case '\\':
			out = l.escape(out)
			continue
		}
		out = append(out, c)
	}
	return nil, errEnd
}

// escape appends what the escape sequence after a backslash stands for.
func (l *lexer) escape(out []byte) []byte {
	if l.pos >= len(l.data) {
		return out
	}
	c := l.data[l.pos]
	l.pos++
	switch c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case '\r': // a line that goes on
		if l.pos < len(l.data) && l.data[l.pos] == '\n' {
			l.pos++
		}
		return out
	case '\n':
		return out
	}
	if c < '0' || c > '7' {
		return append(out, c)
	}
	v := int(c - '0')
	for i := 0; i < 2 && l.pos < len(l.data); i++ {
		d := l.data[l.pos]
		if d < '0' || d > '7' {
			break
		}
		v = v<<3 | int(d-'0')
		l.pos++
	}
	return append(out, byte(v))
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
