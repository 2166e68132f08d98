package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"belay/internal/lazyregexp"
	"belay/internal/netguard"
)

func attachments(c *Config) []*key {
	a := &c.Attachments
	return []*key{
		{name: "attachments.roots", value: choice[Roots]{p: &a.Roots, words: []Roots{RootsProject, RootsAuto, RootsAny}}, def: "auto", project: tighten,
			doc: "Which files a path in a turn may name: any, project (the project and its uploads), or auto, which is any on a loopback address and project elsewhere."},
		{name: "attachments.extensions", value: list{&a.Extensions, extension}, def: ".csv, .gif, .jpeg, .jpg, .md, .pdf, .png, .txt, .webp", project: tighten,
			doc: "File name extensions that are accepted, of those that belay knows. The bytes must agree with the extension."},
		{name: "attachments.max_items", value: count(&a.MaxItems, 1, 10_000), def: "100", project: tighten,
			doc: "Paths in one turn, refused ones included."},
		{name: "attachments.file_bytes", value: size(&a.FileBytes, 1, gib), def: "10MiB", project: tighten,
			doc: "Largest attached file."},
		{name: "attachments.turn_bytes", value: size(&a.TurnBytes, 1, gib), def: "18MiB", project: tighten,
			doc: "Sum of the attached files of one turn."},
		{name: "attachments.upload_bytes", value: size(&a.UploadBytes, 1, tib), def: "64MiB", project: tighten,
			doc: "Largest uploaded file. What a turn takes of it is still bounded by attachments.file_bytes."},
		{name: "attachments.max_pixels", value: pixels(&a.MaxPixels), def: "100000000",
			doc: "Pixels of the largest image that is decoded to be downscaled; a larger one reaches the model as a note."},
		{name: "attachments.pixel_budget", value: pixels(&a.PixelBudget), def: "50000000",
			doc: "Pixels that are decoded at one time in the whole process, about 8 bytes of memory each. An image above it is decoded alone."},
		{name: "attachments.work_limit", value: duration(&a.WorkLimit, 100*time.Millisecond, time.Hour), def: "30s",
			doc: "How long downscaling one image or reading the text of one PDF may take."},
		{name: "attachments.rendition_cache_bytes", value: size(&a.RenditionCacheBytes, mib, tib), def: "512MiB",
			doc: "Disk space for downscaled images and extracted text, the least used removed first."},
		{name: "attachments.pdf_text_bytes", value: size(&a.PDFTextBytes, kib, gib), def: "8MiB",
			doc: "Most text that is taken from one PDF, whatever the model could take."},
		{name: "attachments.pdf_idle", value: duration(&a.PDFIdle, time.Second, day), def: "60s",
			doc: "How long the PDF engine stays loaded without work."},
		{name: "attachments.pdf_interpreted", value: boolean{&a.PDFInterpreted}, def: "false",
			doc: "Runs the PDF engine without executable memory, for systems that forbid it; slower."},
	}
}

func pixels(p *int64) value {
	return limit[int64]{p: p, min: 1, max: 1 << 36, form: whole[int64]()}
}

// declared are the settings of what workflow files attach, by the names that
// their authors know.
func declared(c *Config) []*key {
	d := &c.Attachments.Declared
	const types = "attachments.allowed_mime_types."
	all := []*key{
		{name: "attachments.max_download_size_bytes", flag: "attachments-max-download-size", value: size(&d.DownloadBytes, 1, tib), def: "10000000",
			doc: "Largest file that a workflow attaches, from its folder or by its address."},
		{name: "attachments.download_timeout", value: duration(&d.DownloadTimeout, 10*time.Millisecond, day), def: "30s",
			doc: "How long one download may take, all of it."},
		{name: "attachments.max_redirects", value: count(&d.MaxRedirects, 0, 100), def: "3",
			doc: "Redirects that a download follows, each held to the same rules. 0 follows none."},
		{name: "attachments.max_parallel", value: count(&d.MaxParallel, 1, 256), def: "8",
			doc: "Downloads at one time, in the whole process."},
		{name: "attachments.temp_dir_quota_bytes", value: orNone(limit[int64]{p: &d.TempBytes, min: 1, max: tib, form: sizeForm}), def: "0",
			doc: "Disk space of all downloads that are under way at one time; those for which there is no room wait. 0 is no limit beside that of each."},
		{name: "attachments.http_user_agent", value: text{&d.UserAgent, true, headerText}, def: "belay",
			doc: "User-Agent header of downloads."},
		{name: "attachments.allowed_hosts", value: list{&d.AllowedHosts, internalHost},
			doc: "Hosts of your own network that workflows may attach from, beside all public ones: a host, host:port or a network such as 10.1.0.0/16."},
		{name: "attachments.ssrf_strict", value: boolean{&d.Strict}, def: "false",
			doc: "Only https, and attachments.allowed_hosts does not count: nothing but public hosts is reached. Private addresses are refused without it too."},
		{name: "attachments.max_matches", value: count(&d.MaxMatches, 1, 1_000_000), def: "1000",
			doc: "Files that one pattern of a workflow may match."},
		{name: "attachments.task_bytes", value: size(&d.TaskBytes, 1, tib), def: "512MiB",
			doc: "Sum of the attachments of one task of a workflow."},
		{name: "attachments.mime_head_max_bytes", value: count(&d.HeadBytes, 1, 1<<20), def: "3072",
			doc: "How much of the beginning of a workflow's attachment is looked at to tell its type."},
		{name: types + "image", value: list{&d.Types.Image, mimePattern}, def: "image/*",
			doc: "MIME types that attachments of type image may have, told by their bytes. Blank is the whole family."},
		{name: types + "audio", value: list{&d.Types.Audio, mimePattern}, def: "audio/*",
			doc: "MIME types of attachments of type audio."},
		{name: types + "video", value: list{&d.Types.Video, mimePattern}, def: "video/*",
			doc: "MIME types of attachments of type video."},
		{name: types + "pdf", value: list{&d.Types.PDF, mimePattern}, def: "application/pdf",
			doc: "MIME types of attachments of type pdf."},
		{name: types + "file", value: list{&d.Types.File, mimePattern}, def: "*/*",
			doc: "MIME types of attachments of type file."},
		{name: types + "url", value: list{&d.Types.URL, mimePattern}, def: "*/*",
			doc: "MIME types of what is fetched for an attachment of type url."},
		{name: "attachments.text_part_max_bytes", value: size(&d.TextPartBytes, 1, gib), def: "5MiB",
			doc: "Most text of one file that reaches a model, whatever it could take."},
		{name: "attachments.pdf_extract_max_chars", value: count(&d.PDFChars, 1, 1<<30), def: "1000000",
			doc: "Most characters that are taken from one PDF as text."},
	}
	original := []string{
		"max_download_size_bytes", "download_timeout", "max_redirects", "allowed_mime_types.image", "allowed_mime_types.audio",
		"allowed_mime_types.video", "allowed_mime_types.pdf", "temp_dir_quota_bytes", "text_part_max_bytes", "pdf_extract_max_chars",
		"http_user_agent", "mime_head_max_bytes", "ssrf_strict",
	}
	for _, k := range all {
		if slices.Contains(original, strings.TrimPrefix(k.name, "attachments.")) {
			k.aliases = []alias{{name: strings.TrimPrefix(k.env(), "BELAY_")}}
		}
	}
	return all
}

// internalHost checks a host of the operator's own network.
func internalHost(s string) (string, error) { return netguard.ParseInternal(s) }

var mimePatternShape = lazyregexp.New(`^(\*/\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/(\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126}))$`)

// mimePattern checks a MIME type without parameters, or type/*.
func mimePattern(s string) (string, error) {
	s = strings.ToLower(s)
	if !mimePatternShape.MatchString(s) {
		return "", fmt.Errorf("holds %q, which is no MIME type such as image/png or image/*", s)
	}
	return s, nil
}

// headerText checks the value of an HTTP header.
func headerText(s string) error {
	if len(s) > 200 || strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r > 0x7e }) {
		return errors.New("is not a line of at most 200 ASCII characters")
	}
	return nil
}
