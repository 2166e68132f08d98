package attachment

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// The types of text that its content decides.
const (
	mimeXML    = "application/xml"
	mimeXHTML  = "application/xhtml+xml"
	mimeJSON   = "application/json"
	mimeNDJSON = "application/x-ndjson"
	mimeYAML   = "application/yaml"
)

// textType is the type of a text by its first characters. Where those leave it
// open, the type that the author named decides, then the extension, each only if
// the text can be that.
func textType(head []byte, whole bool, ext, hint string) string {
	head = bytes.TrimPrefix(head, utf8BOM)
	t := text{head: bytes.TrimLeft(head, " \t\r\n\f"), whole: whole}
	if mime := t.evident(); mime != "" {
		return t.narrower(mime, canonical(hint), textExtensions[ext])
	}
	for _, mime := range []string{canonical(hint), textExtensions[ext]} {
		if t.canBe(mime) {
			return mime
		}
	}
	if bytes.HasPrefix(t.head, []byte("---\n")) || bytes.HasPrefix(t.head, []byte("---\r\n")) {
		return t.behindDashes()
	}
	return mimeText
}

// text is the beginning of a text, or all of it.
type text struct {
	head  []byte
	whole bool
}

// evident is the type where the characters leave no doubt.
func (t text) evident() string {
	switch {
	case len(t.head) == 0:
		return ""
	case t.head[0] == '<':
		return t.markup()
	case t.head[0] == '{', t.head[0] == '[':
		return t.json()
	case bytes.HasPrefix(t.head, []byte("%YAML ")):
		return mimeYAML
	case bytes.HasPrefix(t.head, []byte("#!")):
		return t.script()
	}
	return ""
}

// narrower takes a more exact name of an evident type: GeoJSON is JSON.
func (t text) narrower(mime string, said ...string) string {
	suffix := map[string]string{mimeJSON: "+json", mimeXML: "+xml"}[mime]
	for _, s := range said {
		if suffix != "" && strings.HasSuffix(s, suffix) && s != mimeSVG && s != mimeXHTML {
			return s
		}
	}
	return mime
}

// markup looks for the first element, past declarations and comments.
func (t text) markup() string {
	if hasFold(t.head, "<?php") {
		return "text/x-php"
	}
	d := xml.NewDecoder(bytes.NewReader(t.head))
	d.Strict = false
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	is := "" // what it is unless an element says more
	for {
		token, err := d.RawToken()
		if err != nil {
			return is
		}
		switch token := token.(type) {
		case xml.ProcInst:
			if strings.EqualFold(token.Target, "xml") {
				is = mimeXML
			}
		case xml.Directive:
			words := strings.Fields(strings.ToLower(string(token)) + " x x")
			switch {
			case words[0] == "doctype" && words[1] == "svg":
				return mimeSVG
			case words[0] == "doctype" && words[1] == "html" && is == "":
				return mimeHTML
			}
			is = mimeXML // declarations of other languages than HTML
		case xml.StartElement:
			return element(token.Name, is)
		case xml.CharData:
			if len(bytes.TrimSpace(token)) > 0 {
				return is
			}
		}
	}
}

// element is the type of a document with this first element. The document is XML unless
// is is empty.
func element(name xml.Name, is string) string {
	word := strings.ToLower(name.Local)
	switch {
	case name.Local == "svg" && (name.Space == "" || is != ""):
		return mimeSVG
	case is != "" && name.Local == "html":
		return mimeXHTML
	case is == "" && name.Space == "" && (word == "html" || word == "head" || word == "body"):
		return mimeHTML
	}
	return is
}

// json knows an object or a list, and several of them in lines.
func (t text) json() string {
	d := json.NewDecoder(bytes.NewReader(t.head))
	depth, values := 0, 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			if !t.whole && d.InputOffset()+utf8.UTFMax >= int64(len(t.head)) {
				break // a word or a number that was cut
			}
			return ""
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			if depth--; depth == 0 {
				values++
			}
		default:
			if depth == 0 {
				return ""
			}
		}
	}
	switch {
	case t.whole && depth > 0:
		return ""
	case values > 1 || values == 1 && depth > 0:
		return mimeNDJSON
	}
	return mimeJSON
}

// interpreters by the names that a script's first line calls.
var interpreters = []struct{ name, mime string }{
	{"python", "text/x-python"}, {"bash", "text/x-shellscript"}, {"node", "text/javascript"}, {"deno", "text/javascript"},
	{"perl", "text/x-perl"}, {"ruby", "text/x-ruby"}, {"php", "text/x-php"}, {"lua", "text/x-lua"}, {"sh", "text/x-shellscript"},
}

// script knows a script by its interpreter.
func (t text) script() string {
	line, _, _ := bytes.Cut(t.head, []byte("\n"))
	for _, i := range interpreters {
		if bytes.Contains(line, []byte(i.name)) {
			return i.mime
		}
	}
	return ""
}

// canBe reports whether a text whose type is not evident can have the type that
// was said.
func (t text) canBe(mime string) bool {
	switch mime {
	case "":
		return false
	case mimeSVG, mimeXML, mimeXHTML: // their first element may be behind a long comment
		return len(t.head) > 0 && t.head[0] == '<' && !t.whole
	case mimeJSON:
		return t.whole && len(t.head) > 0 && t.head[0] != '<' && json.Valid(t.head) // a number, a word
	}
	return textual(mime)
}

// behindDashes distinguishes YAML from Markdown with a preamble of it.
func (t text) behindDashes() string {
	for _, end := range []string{"\n---\n", "\n---\r\n"} {
		if _, after, ok := bytes.Cut(t.head[3:], []byte(end)); ok && len(bytes.TrimSpace(after)) > 0 {
			return mimeMarkdown
		}
	}
	if bytes.Contains(t.head, []byte(": ")) || bytes.Contains(t.head, []byte(":\n")) || bytes.Contains(t.head, []byte("\n- ")) {
		return mimeYAML
	}
	return mimeText
}

func hasFold(s []byte, prefix string) bool {
	return len(s) >= len(prefix) && bytes.EqualFold(s[:len(prefix)], []byte(prefix))
}
