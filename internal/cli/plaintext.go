package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"
)

// byteOrderMark is what some editors and shells write before text. It is no part of
// what a person wrote.
const byteOrderMark = "\ufeff"

// plainText is data as text: UTF-8, without a byte order mark. Anything else is
// refused; sent on, each wrong byte would become a U+FFFD that nobody wrote.
func plainText(what string, data []byte) (string, error) {
	text := string(bytes.TrimPrefix(data, []byte(byteOrderMark)))
	if err := isText(what, text); err != nil {
		return "", err
	}
	return text, nil
}

// isText refuses what is not UTF-8.
func isText(what, text string) error {
	if utf8.ValidString(text) {
		return nil
	}
	hint := "convert it to UTF-8, for instance with iconv -f LATIN1 -t UTF-8"
	if strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff") {
		hint = "it is UTF-16; convert it with iconv -f UTF-16 -t UTF-8"
	}
	return failed(ExitUsage, hint, fmt.Errorf("%s is not UTF-8 text (byte %d)", what, wrongByte(text)+1))
}

// wrongByte is where the first byte stands that is not UTF-8.
func wrongByte(text string) int {
	for i, r := range text {
		if _, n := utf8.DecodeRuneInString(text[i:]); r == utf8.RuneError && n == 1 {
			return i
		}
	}
	return len(text)
}

// textArguments refuses arguments that are not UTF-8, as a terminal with another
// encoding gives them. A file may have any name that the system lets it have.
func textArguments(args []string) error {
	if len(args) > 0 && strings.HasPrefix(args[0], "__complete") {
		return nil // nothing comes of what is only half typed
	}
	var errs []error
	for _, arg := range args {
		name := arg
		if flag, value, ok := strings.Cut(arg, "="); ok && strings.HasPrefix(flag, "--") {
			name = value
		}
		if utf8.ValidString(arg) {
			continue
		}
		if _, err := os.Lstat(name); err != nil {
			errs = append(errs, isText(fmt.Sprintf("the argument %q", arg), arg))
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return errors.Join(errs...)
}
