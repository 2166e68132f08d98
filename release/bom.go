package main

import (
	"debug/buildinfo"
	"io"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// writeBOM writes the bill of materials of a program, in the form of CycloneDX: the modules
// that the Go tool recorded in it, with their checksums.
func (r *release) writeBOM(program, name string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{
		Timestamp: r.time.Format(time.RFC3339),
		Component: &cdx.Component{
			BOMRef: "belay", Type: cdx.ComponentTypeApplication, Name: "belay", Version: r.version,
			Licenses: &cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}},
		},
	}
	parts := []cdx.Component{{
		BOMRef: "pkg:golang/std@" + info.GoVersion, Type: cdx.ComponentTypeLibrary, Name: "std",
		Version: info.GoVersion, PackageURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"),
	}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		url := "pkg:golang/" + m.Path + "@" + m.Version
		parts = append(parts, cdx.Component{
			BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: url,
			Properties: &[]cdx.Property{{Name: "go.sum", Value: m.Sum}},
		})
	}
	var refs []string
	for _, p := range parts {
		refs = append(refs, p.BOMRef)
	}
	bom.Components, bom.Dependencies = &parts, &[]cdx.Dependency{{Ref: "belay", Dependencies: &refs}}
	return r.write(name, func(w io.Writer) error {
		return cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
	})
}
