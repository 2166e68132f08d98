package definition_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"belay/internal/authored"
	"belay/internal/workflow/definition"
)

// The files of the specification, its "..." filled in so that they are whole.
var specified = map[string]string{
	"templates": `
id: spec
agents: [{id: a, instructions: i}]
tasks:
  - {id: generate-image, agent: a, prompt: p, on_success: {next: look}}
  - id: look
    agent: a
    prompt: p
    attachments:
      # From workflow input (URL source)
      - type: image
        url: "{{ .workflow.input.image_url }}"
        name: "source:{{ .workflow.id }}"

      # From a previous task output (path source)
      - type: image
        path: "{{ .tasks.generate-image.output.path }}"
        name: "generated:{{ .workflow.exec_id }}"

      # Plural sources with templated segments
      - type: image
        paths:
          - "{{ .input.assets_dir }}/cover.png"
          - "{{ .input.assets_dir }}/thumbnails/*.jpg"
`,
	"agent": `
id: spec
agents:
  - id: image-classifier
    attachments:
      # Single attachments (existing syntax)
      - type: image
        url: https://foo.com/1.png
      - type: document # alias of pdf (normalized to pdf)
        url: https://baz.com/spec.pdf

      # Multiple attachments with enhanced DX
      - type: image
        paths:
          - ./assets/*.png
          - ./screenshots/latest.jpg
        meta:
          source: "local-assets"

      - type: video
        urls:
          - https://bar.com/demo1.mp4
          - https://bar.com/demo2.mp4

      - type: url # raw URL without file
        url: https://example.com
    instructions: |
      You are an image classifier.
    actions: [{id: recognize, prompt: What is it?}]
tasks: [{id: t, agent: image-classifier, action: recognize}]
`,
	"task": `
id: spec
agents: [{id: image-classifier, instructions: i, actions: [{id: recognize, prompt: What is it?}]}]
tasks:
  - id: classify
    type: basic
    attachments:
      # Single file
      - type: image
        path: ./assets/input.png

      # Multiple files with glob pattern
      - type: image
        paths:
          - ./batch/*.jpg
          - ./batch/*.png
    agent: { id: image-classifier }
    action: recognize
`,
	"action": `
id: spec
tasks: [{id: t, agent: doc-analyzer, action: summarize}]
agents:
  - id: doc-analyzer
    instructions: |
      Analyze documents.
    actions:
      - id: summarize
        attachments:
          # Single document
          - type: pdf
            url: https://example.com/spec.pdf

          # Multiple documents
          - type: pdf
            urls:
              - https://example.com/spec1.pdf
              - https://example.com/spec2.pdf
            name: "Specification Bundle"
        prompt: "Summarize the attached documents"
`,
}

// Covers: attachments 4, attachments 11
//
// Every file of the specification is read, as YAML and as JSON, and right to editors.
func TestFilesOfTheSpecification(t *testing.T) {
	t.Parallel()
	s := editor(t)
	for name, text := range specified {
		n, err := authored.Parse(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		asJSON, err := json.Marshal(n.Value())
		if err != nil {
			t.Fatal(err)
		}
		for form, text := range map[string][]byte{"YAML": []byte(text), "JSON": asJSON} {
			if _, err := definition.Parse(name, text); err != nil {
				t.Errorf("%s as %s: %v", name, form, err)
			}
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
