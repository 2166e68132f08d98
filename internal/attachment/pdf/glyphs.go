package pdf

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// glyphs names the glyphs that ordinary Latin files re-encode. What is not here
// reads as U+FFFD, which makes the text unconvincing and calls for the engine.
var glyphs = map[string]string{
	"space": " ", "exclam": "!", "quotedbl": "\"", "numbersign": "#", "dollar": "$", "percent": "%",
	"ampersand": "&", "quotesingle": "'", "parenleft": "(", "parenright": ")", "asterisk": "*",
	"plus": "+", "comma": ",", "hyphen": "-", "period": ".", "slash": "/", "zero": "0", "one": "1",
	"two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8",
	"nine": "9", "colon": ":", "semicolon": ";", "less": "<", "equal": "=", "greater": ">",
	"question": "?", "at": "@", "bracketleft": "[", "backslash": "\\", "bracketright": "]",
	"underscore": "_", "grave": "`", "braceleft": "{", "bar": "|", "braceright": "}",
	"quoteleft": "‘", "quoteright": "’", "quotedblleft": "“", "quotedblright": "”",
	"quotedblbase": "„", "endash": "–", "emdash": "—", "bullet": "•", "ellipsis": "…",
	"degree": "°", "section": "§", "copyright": "©", "registered": "®", "trademark": "™",
	"ff": "ff", "fi": "fi", "fl": "fl", "ffi": "ffi", "ffl": "ffl", "Euro": "€", "sterling": "£",
	"adieresis": "ä", "odieresis": "ö", "udieresis": "ü", "Adieresis": "Ä", "Odieresis": "Ö",
	"Udieresis": "Ü", "germandbls": "ß", "eacute": "é", "egrave": "è", "ecircumflex": "ê",
	"agrave": "à", "aacute": "á", "acircumflex": "â", "ccedilla": "ç", "iacute": "í", "oacute": "ó",
	"uacute": "ú", "ntilde": "ñ", "aring": "å", "oslash": "ø", "ae": "æ", "minus": "−", "multiply": "×",
}

// glyphText returns the text of a glyph name: a letter, a listed name, or
// uniXXXX.
func glyphText(n string) string {
	if len(n) == 1 {
		return n
	}
	if s, ok := glyphs[n]; ok {
		return s
	}
	if hex, ok := strings.CutPrefix(n, "uni"); ok && len(hex) == 4 {
		if v, err := strconv.ParseUint(hex, 16, 16); err == nil && utf8.ValidRune(rune(v)) {
			return string(rune(v))
		}
	}
	return string(utf8.RuneError)
}
