package contract

import (
	"fmt"
	"time"
	"unicode/utf8"

	"belay/internal/fault"
	"belay/internal/lazyregexp"
)

// Limits of what a payload holds, in bytes where nothing else is said.
const (
	// MaxText is the longest text of a request and of an answer.
	MaxText = 256 << 10
	// MaxInline is the largest file whose bytes travel in a message.
	MaxInline = 16 << 10
	// MaxDiff is the longest diff of a question.
	MaxDiff = 64 << 10

	// MaxHost is the longest name of a host, with its port.
	MaxHost = 253 + len(":65535")
	// MaxCommand is the longest command of a question.
	MaxCommand = 64 << 10

	maxLabel = 256     // names of people, channels, tools
	maxNote  = 4 << 10 // sentences and notes
	maxPath  = 4 << 10
	maxList  = 200 // entries of a list

	// maxQueued is as many requests as the bus takes at once.
	maxQueued = 4096
)

var (
	// sessionPattern is that of package session.
	sessionPattern = lazyregexp.New(`^[A-Za-z0-9_-]{1,80}$`)
	// requestPattern has no character with a meaning in subjects.
	requestPattern = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9:_-]{0,119}$`)
	clientPattern  = lazyregexp.New(`^[a-z][a-z0-9-]{0,31}$`)
	idPattern      = lazyregexp.New(`^[!-~]{1,300}$`)
	objectPattern  = lazyregexp.New(`^[A-Za-z0-9_-]{1,80}/[0-9a-f]{64}$`)
	sha256Pattern  = lazyregexp.New(`^[0-9a-f]{64}$`)
	mimePattern    = lazyregexp.New(`^[A-Za-z0-9!#$&^_.+-]{1,100}/[A-Za-z0-9!#$&^_.+-]{1,100}(; ?[ -~]{1,100})?$`)
)

// ValidMIME reports whether s can be the type of a file.
func ValidMIME(s string) bool { return mimePattern.MatchString(s) }

// checker collects what is wrong with a message.
type checker struct{ problems []fault.Problem }

// that notes a problem of a member unless ok.
func (c *checker) that(ok bool, field, format string, args ...any) {
	if !ok {
		c.problems = append(c.problems, fault.Problem{Field: field, Message: fmt.Sprintf(format, args...)})
	}
}

// text checks a text's length and encoding.
func (c *checker) text(field, s string, most int) {
	c.that(len(s) <= most, field, "has %d bytes, the limit is %d", len(s), most)
	c.that(utf8.ValidString(s), field, "must be UTF-8")
}

// filled checks a text that must not be empty.
func (c *checker) filled(field, s string, most int) {
	c.that(s != "", field, "must not be empty")
	c.text(field, s, most)
}

// matches checks an id.
func (c *checker) matches(field, s string, pattern *lazyregexp.Regexp) {
	c.that(pattern.MatchString(s), field, "must match %s", pattern)
}

// list checks the length of a list.
func (c *checker) list(field string, n int) {
	c.that(n <= maxList, field, "has %d entries, the limit is %d", n, maxList)
}

// texts checks a list of texts.
func (c *checker) texts(field string, list []string, most int) {
	c.list(field, len(list))
	for _, s := range list {
		c.text(field, s, most)
	}
}

// moment checks a time that must be set.
func (c *checker) moment(field string, t time.Time) {
	c.that(!t.IsZero(), field, "must be set")
	c.year(field, t)
}

// year checks that a time can be written as JSON.
func (c *checker) year(field string, t time.Time) {
	c.that(t.Year() >= 0 && t.Year() <= 9999, field, "must lie in the years 0 to 9999")
}

// one checks that s is one of a few words.
func one[T ~string](c *checker, field string, s T, words ...T) {
	for _, w := range words {
		if s == w {
			return
		}
	}
	c.that(false, field, "must be one of %q", words)
}
