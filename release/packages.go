package main

import (
	"io"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	"github.com/goreleaser/nfpm/v2/rpm"
)

// shareFiles are where a package puts the documents, by their pattern in the work folder.
var shareFiles = map[string]string{
	"man/*.1":                "/usr/share/man/man1/",
	"completions/belay.bash": "/usr/share/bash-completion/completions/belay",
	"completions/_belay":     "/usr/share/zsh/vendor-completions/_belay",
	"completions/belay.fish": "/usr/share/fish/vendor_completions.d/belay.fish",
}

// packages writes the packages of a Linux target.
func (r *release) packages(t target, program string) error {
	for _, p := range []struct {
		packager nfpm.Packager
		format   string
	}{{deb.Default, "deb"}, {rpm.DefaultRPM, "rpm"}} {
		info, err := r.info(t, program, p.format)
		if err != nil {
			return err
		}
		name := p.packager.ConventionalFileName(info)
		if err := r.write(name, func(w io.Writer) error { return p.packager.Package(info, w) }); err != nil {
			return err
		}
	}
	return nil
}

// info is what a package says and holds.
func (r *release) info(t target, program, format string) (*nfpm.Info, error) {
	contents := files.Contents{file(program, "/usr/bin/belay", 0o755)}
	for pattern, to := range shareFiles {
		found, err := filepath.Glob(filepath.Join(r.work, "share", filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, source := range found {
			name := to
			if name[len(name)-1] == '/' {
				name += filepath.Base(source)
			}
			contents = append(contents, file(source, name, 0o644))
		}
	}
	for source, name := range map[string]string{
		"files/systemd/belay.service":      "/usr/lib/systemd/system/belay.service",
		"files/systemd/belay.socket":       "/usr/lib/systemd/system/belay.socket",
		"files/systemd/user/belay.service": "/usr/lib/systemd/user/belay.service",
		"files/systemd/belay.sysusers":     "/usr/lib/sysusers.d/belay.conf",
		r.root + "/LICENSE":                "/usr/share/doc/belay/copyright",
		r.root + "/docs/install.md":        "/usr/share/doc/belay/install.md",
	} {
		contents = append(contents, file(source, name, 0o644))
	}
	for _, c := range contents {
		c.FileInfo.MTime = r.time
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "belay", Arch: t.arch, Platform: "linux", Version: r.version, VersionSchema: "semver", Release: "1",
		Section: "utils", Priority: "optional", Maintainer: "The belay authors", License: "Apache-2.0", MTime: r.time,
		Description: "Runs language-model agents on a project folder while people stay in control.\nOne program: a command line, a chat, and a server with a page.",
		Overridables: nfpm.Overridables{
			Contents: contents, Recommends: []string{"git"},
			RPM: nfpm.RPM{BuildHost: "localhost", Summary: "Runs language-model agents on a project folder"},
		},
	})
	return info, nfpm.PrepareForPackager(info, format)
}

func file(source, name string, mode os.FileMode) *files.Content {
	return &files.Content{Source: source, Destination: name, FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode}}
}
