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
			doc: "Which files a path in a turn may name: any, project (the project and its uploads), or auto, which is any on a loopback address without server.project_roots, and project elsewhere.",
			why: "Turns are to see files of the project only, or of the whole machine."},
		{name: "attachments.extensions", value: list{&a.Extensions, extension}, def: ".csv, .gif, .jpeg, .jpg, .md, .pdf, .png, .txt, .webp", project: tighten,
			doc: "File name extensions that are accepted, of those that belay knows. The bytes must agree with the extension.",
			why: "Some kinds of files must not reach a model."},
		{name: "attachments.max_items", value: count(&a.MaxItems, 1, 10_000), def: "100", project: tighten,
			doc: "Paths in one turn, refused ones included.",
			why: "A turn gets a folder of many images, or few."},
		{name: "attachments.file_bytes", value: size(&a.FileBytes, 1, gib), def: "10MiB", project: tighten,
			doc: "Largest attached file.",
			why: "Large files are usual, or too expensive."},
		{name: "attachments.turn_bytes", value: size(&a.TurnBytes, 1, gib), def: "18MiB", project: tighten,
			doc: "Sum of the attached files of one turn.",
			why: "The provider takes more in one request, or it costs too much."},
		{name: "attachments.upload_bytes", value: size(&a.UploadBytes, 1, tib), def: "64MiB", project: tighten,
			doc: "Largest uploaded file. What a turn takes of it is still bounded by attachments.file_bytes.",
			why: "Tools, not models, read large files; or the disk is small."},
		{name: "attachments.pdf_interpreted", value: boolean{&a.PDFInterpreted}, def: "false",
			doc: "Runs the PDF engine without executable memory, for systems that forbid it; slower.",
			why: "The system forbids executable memory."},
	}
}

// declared are the settings of what workflow files attach, by the names that
// their authors know.
func declared(c *Config) []*key {
	d := &c.Attachments.Declared
	const types = "attachments.allowed_mime_types."
	all := []*key{
		{name: "attachments.max_download_size_bytes", flag: "attachments-max-download-size", value: size(&d.DownloadBytes, 1, tib), def: "10MB",
			doc: "Largest file that a workflow attaches, from its folder or by its address.",
			why: "Workflows attach larger files."},
		{name: "attachments.download_timeout", value: duration(&d.DownloadTimeout, 10*time.Millisecond, day), def: "30s",
			doc: "How long one try of a download may take, all of it.",
			why: "The connection is slow."},
		{name: "attachments.max_redirects", value: count(&d.MaxRedirects, 0, 100), def: "3",
			doc: "Redirects that a download follows, each held to the same rules. 0 follows none.",
			why: "Downloads lead through several services, or must lead nowhere else."},
		{name: "attachments.temp_dir_quota_bytes", value: orNone(limit[int64]{p: &d.TempBytes, min: 1, max: tib, form: sizeForm}), def: "0",
			doc: "Disk space of all downloads that are under way at one time; those for which there is no room wait. 0 is no limit beside that of each.",
			why: "The disk of the cache is small."},
		{name: "attachments.http_user_agent", value: text{&d.UserAgent, true, headerText}, def: "belay",
			doc: "User-Agent header of downloads.",
			why: "A site wants to know who fetches."},
		{name: "attachments.allowed_hosts", value: list{&d.AllowedHosts, internalHost},
			doc: "Hosts of your own network that workflows may attach from, beside all public ones: a host, host:port or a network such as 10.1.0.0/16.",
			why: "Files lie on a server of your own network."},
		{name: "attachments.ssrf_strict", value: boolean{&d.Strict}, def: "false",
			doc: "Only https, and attachments.allowed_hosts does not count: nothing but public hosts is reached. Private addresses are refused without it too.",
			why: "Workflows are written by people whom you do not know."},
		{name: "attachments.max_matches", value: count(&d.MaxMatches, 1, 1_000_000), def: "1000",
			doc: "Files that one pattern of a workflow may match.",
			why: "A pattern is meant to match a large collection."},
		{name: "attachments.task_bytes", value: size(&d.TaskBytes, 1, tib), def: "512MiB",
			doc: "Sum of the attachments of one task of a workflow.",
			why: "One task gets a large collection, or must stay small."},
		{name: types + "image", value: list{&d.Types.Image, mimePattern}, def: "image/*",
			doc: "MIME types that attachments of type image may have, by their bytes. Blank is the whole family.",
			why: "The model takes some image formats only."},
		{name: types + "audio", value: list{&d.Types.Audio, mimePattern}, def: "audio/*",
			doc: "MIME types of attachments of type audio.",
			why: "The model takes some audio formats only."},
		{name: types + "video", value: list{&d.Types.Video, mimePattern}, def: "video/*",
			doc: "MIME types of attachments of type video.",
			why: "The model takes some video formats only."},
		{name: types + "pdf", value: list{&d.Types.PDF, mimePattern}, def: "application/pdf",
			doc: "MIME types of attachments of type pdf.",
			why: "Files of another type count as PDF, or none do."},
		{name: types + "file", value: list{&d.Types.File, mimePattern}, def: "*/*",
			doc: "MIME types of attachments of type file.",
			why: "Workflows are to attach some types only."},
		{name: types + "url", value: list{&d.Types.URL, mimePattern}, def: "*/*",
			doc: "MIME types of what is fetched for an attachment of type url.",
			why: "Workflows are to fetch some types only."},
		{name: "attachments.text_part_max_bytes", value: size(&d.TextPartBytes, 1, gib), def: "5MiB",
			doc: "Most text of one file that reaches a model, whatever it could take.",
			why: "A long text costs too much."},
		{name: "attachments.pdf_extract_max_chars", value: count(&d.PDFChars, 1, 1<<30), def: "1000000",
			doc: "Most characters that are taken from one PDF as text.",
			why: "A long PDF costs too much."},
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
