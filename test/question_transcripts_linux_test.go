package test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// questionTranscripts are the files of the transcripts of questions.
func questionTranscripts(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/questions/*.txtar")
	must(t, err)
	if len(files) == 0 {
		t.Fatal("there are no transcripts")
	}
	return files
}

// The questions that commands raise, from the first event to the files that the project
// then holds: about what a command changed, about one that is to run outside the sandbox,
// and about a host that one connects to.
//
// Covers: turn-api REQ-04
func TestQuestionTranscripts(t *testing.T) {
	t.Parallel()
	for _, file := range questionTranscripts(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			runTranscript(t, file)
		})
	}
}

// The examples of docs/http.md about these questions are in the transcripts: each event, each
// answer and each body of a request, but for what the page leaves out with an ellipsis.
func TestQuestionsOfTheGuide(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/http.md")
	must(t, err)
	_, section, found := strings.Cut(string(page), "\n### Questions about commands\n")
	section, _, ends := strings.Cut(section, "\n## ")
	if !found || !ends {
		t.Fatal("docs/http.md has no examples of these questions")
	}
	var said []byte
	for _, file := range questionTranscripts(t) {
		text, err := os.ReadFile(file)
		must(t, err)
		said = append(said, text...)
	}
	said = bytes.ReplaceAll(said, []byte("sess_1"), []byte("$session")) // in the bodies of requests
	body := regexp.MustCompile(`^\$ curl .* -d "(.*)"$`)
	examples := 0
	for _, block := range regexp.MustCompile("(?s)```[a-z]*\n(.*?)```").FindAllStringSubmatch(section, -1) {
		for line := range strings.Lines(block[1]) {
			line = strings.TrimSuffix(line, "\n")
			if sent := body.FindStringSubmatch(line); sent != nil {
				line = strings.ReplaceAll(sent[1], `\"`, `"`)
			}
			if line == "" {
				continue
			}
			examples++
			line = strings.ReplaceAll(line, "sess_…", "$session")
			form := "(?m)^" + strings.ReplaceAll(regexp.QuoteMeta(line), "…", ".*") + "$"
			if !regexp.MustCompile(form).Match(said) {
				t.Errorf("no transcript has\n%s", line)
			}
		}
	}
	if examples == 0 {
		t.Error("the section has no examples")
	}
}
