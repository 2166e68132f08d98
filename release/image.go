package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	"github.com/opencontainers/image-spec/specs-go/v1"
)

// imageUser is whom a container runs as: nobody of the host.
const imageUser = "65532:65532"

// layout is an image in the OCI layout, which podman, skopeo and others load.
type layout struct {
	tar *tar.Writer
	at  time.Time
	has map[digest.Digest]bool
}

// image writes the container image of all Linux targets. It holds belay alone, without a
// shell: who wants commands copies the program from it into an image of their own.
func (r *release) image() error {
	if len(r.images) == 0 {
		return nil
	}
	return r.write("belay_"+r.version+"_oci.tar", func(w io.Writer) error {
		l := &layout{tar: tar.NewWriter(w), at: r.time, has: map[digest.Digest]bool{}}
		version, err := json.Marshal(v1.ImageLayout{Version: v1.ImageLayoutVersion})
		if err != nil {
			return err
		}
		if err := l.file(v1.ImageLayoutFile, version); err != nil {
			return err
		}
		index := v1.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageIndex}
		for _, t := range r.images {
			m, err := r.manifest(l, t)
			if err != nil {
				return err
			}
			index.Manifests = append(index.Manifests, m)
		}
		data, err := json.Marshal(index)
		if err != nil {
			return err
		}
		return errors.Join(l.file(v1.ImageIndexFile, data), l.tar.Close())
	})
}

// manifest adds the image of one target to a layout.
func (r *release) manifest(l *layout, t target) (v1.Descriptor, error) {
	var layer bytes.Buffer
	sum := sha256.New()
	packed := gzip.NewWriter(&layer)
	if err := errors.Join(r.layer(io.MultiWriter(packed, sum), t), packed.Close()); err != nil {
		return v1.Descriptor{}, err
	}
	platform := v1.Platform{OS: t.system, Architecture: t.arch}
	config, err := l.json(v1.MediaTypeImageConfig, v1.Image{
		Created: &r.time, Platform: platform,
		Config: v1.ImageConfig{
			User: imageUser, ExposedPorts: map[string]struct{}{"23529/tcp": {}}, WorkingDir: "/project",
			Entrypoint: []string{"/usr/bin/belay"}, Env: []string{"HOME=/state", "BELAY_STATE_DIR=/state"},
			Volumes: map[string]struct{}{"/state": {}, "/project": {}},
			Labels:  map[string]string{v1.AnnotationTitle: "belay", v1.AnnotationVersion: r.version, v1.AnnotationRevision: r.id, v1.AnnotationLicenses: "Apache-2.0"},
		},
		RootFS: v1.RootFS{Type: "layers", DiffIDs: []digest.Digest{digest.NewDigestFromBytes(digest.SHA256, sum.Sum(nil))}},
	})
	if err != nil {
		return config, err
	}
	blob, err := l.blob(v1.MediaTypeImageLayerGzip, layer.Bytes())
	if err != nil {
		return blob, err
	}
	m, err := l.json(v1.MediaTypeImageManifest, v1.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: v1.MediaTypeImageManifest, Config: config, Layers: []v1.Descriptor{blob},
	})
	m.Platform = &platform
	m.Annotations = map[string]string{v1.AnnotationRefName: r.version}
	return m, err
}

// certificates are where systems keep the authorities that they trust.
var certificates = []string{"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"}

// layer writes the files of an image: the program, the certificates of the machine that
// makes it, and the folders that its user writes.
func (r *release) layer(w io.Writer, t target) error {
	at := slices.IndexFunc(certificates, func(name string) bool { _, err := os.Stat(name); return err == nil })
	if at < 0 {
		return fmt.Errorf("this machine has no certificates at %s", strings.Join(certificates, " or "))
	}
	layer := tar.NewWriter(w)
	for _, dir := range []string{"project/", "state/", "tmp/"} {
		h := &tar.Header{Typeflag: tar.TypeDir, Name: dir, Mode: 0o700, Uid: 65532, Gid: 65532, ModTime: r.time, Format: tar.FormatPAX}
		if err := layer.WriteHeader(h); err != nil {
			return err
		}
	}
	for _, e := range []entry{
		{"usr/bin/belay", filepath.Join(r.work, t.system+"_"+t.arch, t.program()), 0o755},
		{"etc/ssl/certs/ca-certificates.crt", certificates[at], 0o644},
	} {
		info, err := os.Stat(e.source)
		if err != nil {
			return err
		}
		h := &tar.Header{Name: e.name, Mode: int64(e.mode), Size: info.Size(), ModTime: r.time, Format: tar.FormatPAX}
		if err := errors.Join(layer.WriteHeader(h), copyFile(layer, e.source)); err != nil {
			return err
		}
	}
	return layer.Close()
}

// json adds a document of the layout.
func (l *layout) json(kind string, v any) (v1.Descriptor, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return v1.Descriptor{}, err
	}
	return l.blob(kind, data)
}

// blob adds content under its digest, once.
func (l *layout) blob(kind string, data []byte) (v1.Descriptor, error) {
	d := v1.Descriptor{MediaType: kind, Digest: digest.FromBytes(data), Size: int64(len(data))}
	if l.has[d.Digest] {
		return d, nil
	}
	l.has[d.Digest] = true
	return d, l.file("blobs/sha256/"+d.Digest.Encoded(), data)
}

func (l *layout) file(name string, data []byte) error {
	h := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(data)), ModTime: l.at, Format: tar.FormatPAX}
	if err := l.tar.WriteHeader(h); err != nil {
		return err
	}
	_, err := l.tar.Write(data)
	return err
}
