package attachment

import "strings"

// bare is a MIME type in lower case without parameters.
func bare(mime string) string {
	mime, _, _ = strings.Cut(mime, ";")
	return strings.ToLower(strings.TrimSpace(mime))
}

// synonyms are the same type under another name.
var synonyms = map[string]string{
	"image/jpg": mimeJPEG, "image/pjpeg": mimeJPEG, "image/x-png": mimePNG, "image/x-ms-bmp": mimeBMP, "image/svg": mimeSVG,
	"application/x-pdf": mimePDF,
	"audio/mp3":         "audio/mpeg", "audio/x-mp3": "audio/mpeg", "audio/x-mpeg": "audio/mpeg",
	"audio/x-wav": "audio/wav", "audio/wave": "audio/wav", "audio/vnd.wave": "audio/wav",
	"audio/m4a": "audio/mp4", "audio/x-m4a": "audio/mp4", "audio/opus": "audio/ogg", "audio/x-flac": "audio/flac", "audio/x-aac": "audio/aac",
	"video/x-m4v": "video/mp4", "video/matroska": "video/x-matroska", "video/avi": "video/x-msvideo",
	"text/xml": "application/xml", "text/json": "application/json", "text/x-markdown": mimeMarkdown,
	"text/yaml": "application/yaml", "text/x-yaml": "application/yaml", "application/x-yaml": "application/yaml",
	"application/javascript": "text/javascript", "application/x-javascript": "text/javascript",
	"application/x-zip-compressed": "application/zip",
}

// canonical is the one name of a type.
func canonical(mime string) string {
	mime = bare(mime)
	if name := synonyms[mime]; name != "" {
		return name
	}
	return mime
}

// KindOf is the kind of items that have a type; of an SVG picture it is text.
func KindOf(mime string) Kind {
	switch mime = canonical(mime); {
	case mime == mimePDF:
		return KindPDF
	case mime == mimeAddress:
		return KindURL
	case textual(mime):
		return KindText
	case strings.HasPrefix(mime, "image/") && !decodable[mime]:
		return KindFile
	}
	return kindOf(mime)
}

// matches reports whether a type is one that the patterns allow: a type, a whole
// family ("image/*") or all ("*/*"). Parameters on either side do not count.
func matches(mime string, patterns []string) bool {
	mime = canonical(mime)
	for _, p := range patterns {
		p = bare(p)
		if family, all := strings.CutSuffix(p, "/*"); all && (family == "*" || strings.HasPrefix(mime, family+"/")) || canonical(p) == mime || p == "*" {
			return true
		}
	}
	return false
}

// textual reports whether a type is one of text.
func textual(mime string) bool {
	if strings.HasPrefix(mime, "text/") && mime != mimeAddress || strings.HasSuffix(mime, "+json") || strings.HasSuffix(mime, "+xml") {
		return true
	}
	return textNames[mime]
}

// textNames are the types in textExtensions.
var textNames = func() map[string]bool {
	names := map[string]bool{}
	for _, mime := range textExtensions {
		names[mime] = true
	}
	return names
}()

// textExtensions are the types of text by extension.
var textExtensions = map[string]string{
	".txt": mimeText, ".text": mimeText, ".log": mimeText, ".conf": mimeText, ".ini": mimeText, ".env": mimeText,
	".md": mimeMarkdown, ".markdown": mimeMarkdown, ".rst": "text/x-rst", ".adoc": "text/asciidoc", ".tex": "text/x-tex", ".org": "text/org",
	".csv": mimeCSV, ".tsv": "text/tab-separated-values",
	".html": mimeHTML, ".htm": mimeHTML, ".xhtml": mimeXHTML, ".xml": mimeXML, ".svg": mimeSVG, ".rss": "application/rss+xml",
	".json": mimeJSON, ".geojson": "application/geo+json", ".ipynb": "application/x-ipynb+json", ".jsonl": mimeNDJSON, ".ndjson": mimeNDJSON,
	".yaml": mimeYAML, ".yml": mimeYAML, ".toml": "application/toml",
	".css": "text/css", ".scss": "text/x-scss", ".js": "text/javascript", ".mjs": "text/javascript", ".cjs": "text/javascript", ".jsx": "text/javascript",
	".ts": "text/x-typescript", ".tsx": "text/x-typescript", ".vue": "text/x-vue", ".svelte": "text/x-svelte",
	".go": "text/x-go", ".py": "text/x-python", ".rb": "text/x-ruby", ".rs": "text/x-rust", ".java": "text/x-java", ".kt": "text/x-kotlin",
	".c": "text/x-c", ".h": "text/x-c", ".cc": "text/x-c++", ".cpp": "text/x-c++", ".cxx": "text/x-c++", ".hpp": "text/x-c++", ".cs": "text/x-csharp",
	".swift": "text/x-swift", ".scala": "text/x-scala", ".php": "text/x-php", ".pl": "text/x-perl", ".lua": "text/x-lua", ".r": "text/x-r", ".jl": "text/x-julia",
	".sh": "text/x-shellscript", ".bash": "text/x-shellscript", ".zsh": "text/x-shellscript", ".ps1": "text/x-powershell",
	".sql": "application/sql", ".graphql": "application/graphql", ".proto": "text/x-protobuf", ".tf": "text/x-terraform",
	".diff": "text/x-diff", ".patch": "text/x-diff", ".vtt": "text/vtt", ".srt": "application/x-subrip", ".ics": "text/calendar", ".vcf": "text/vcard", ".eml": "message/rfc822",
}

// binaryExtensions are those of everything else, for the warning that a name is
// wrong. What is not listed promises nothing.
var binaryExtensions = map[string]string{
	".png": mimePNG, ".jpg": mimeJPEG, ".jpeg": mimeJPEG, ".gif": mimeGIF, ".webp": mimeWebP, ".bmp": mimeBMP, ".tif": mimeTIFF, ".tiff": mimeTIFF,
	".heic": mimeHEIC, ".heif": mimeHEIC, ".avif": mimeAVIF, ".pdf": mimePDF,
	".mp3": mimeMP3, ".wav": mimeWAV, ".flac": "audio/flac", ".aac": mimeAAC, ".m4a": mimeM4A, ".m4b": mimeM4A,
	".ogg": mimeOGG, ".oga": mimeOGG, ".opus": mimeOGG, ".ogv": "video/ogg", ".aif": "audio/aiff", ".aiff": "audio/aiff", ".mid": "audio/midi",
	".mp4": mimeMP4, ".m4v": mimeMP4, ".mov": "video/quicktime", ".mkv": mimeMKV, ".mka": mimeMKV, ".webm": mimeWebM, ".avi": "video/x-msvideo",
	".mpg": "video/mpeg", ".mpeg": "video/mpeg", ".wmv": "video/x-ms-asf", ".wma": "video/x-ms-asf", ".3gp": "video/3gpp", ".flv": "video/x-flv",
	".zip": "application/zip", ".gz": "application/gzip", ".tar": "application/x-tar", ".7z": "application/x-7z-compressed", ".epub": "application/epub+zip",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	".odt":  "application/vnd.oasis.opendocument.text",
}

// extensionType is the type that an extension promises, "" if none.
func extensionType(ext string) string {
	if mime := textExtensions[ext]; mime != "" {
		return mime
	}
	return binaryExtensions[ext]
}

// agrees reports whether what was said of a file can be said of what its bytes
// are: plain text of any text, JSON of GeoJSON, a container with or without
// pictures.
func agrees(said, mime string) bool {
	said, mime = canonical(said), canonical(mime)
	_, a, _ := strings.Cut(said, "/")
	_, b, _ := strings.Cut(mime, "/")
	switch {
	case a == "":
		return false
	case said == mime, a == b, strings.HasPrefix(b, a):
		return true
	case said == mimeText, mime == mimeText:
		return textual(said) && textual(mime)
	case said == "text/x-typescript" && mime == "video/mp2t": // they share .ts
		return true
	case said == mimeHTML && mime == mimeXHTML, said == mimeXML && strings.HasSuffix(mime, "+xml"), said == mimeJSON && strings.HasSuffix(mime, "+json"):
		return true
	}
	return false
}
