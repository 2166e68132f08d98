package finding

import (
	"bytes"
	"encoding/json"
	"io"
	"net/url"
	"strings"
)

// SARIF is findings in the form of the Static Analysis Results Interchange Format
// 2.1.0, which code hosts and editors read. It takes them one after the other and keeps
// them in a [Pile] until it is written: the rules, of which only those with findings are
// listed, stand before them.
type SARIF struct {
	described map[string]Rule
	at        map[string]int
	rules     []sarifRule
	version   string
	pile      Pile
}

// NewSARIF returns a form without findings. Version is the program's; rules describe the
// codes.
func NewSARIF(version string, rules []Rule) *SARIF {
	s := &SARIF{described: make(map[string]Rule, len(rules)), at: map[string]int{}, rules: []sarifRule{}, version: version}
	for _, r := range rules {
		s.described[r.Code] = r
	}
	return s
}

// Add puts findings behind the others. Paths become URIs relative to the project; a
// finding about the whole project has none but ".".
func (s *SARIF) Add(all []Finding) {
	for i := range all {
		f := &all[i]
		if _, ok := s.at[f.Code]; !ok {
			s.at[f.Code] = len(s.rules)
			s.rules = append(s.rules, sarifRuleOf(s.described[f.Code], *f))
		}
		s.pile.add(f)
	}
}

// Margins of the results in the form as it is written, two spaces a level.
const (
	resultsMargin = "      "
	resultMargin  = resultsMargin + "  "
)

// pieceOfResults is how many bytes of results are written at once.
const pieceOfResults = 64 << 10

// Write writes the form as JSON.
func (s *SARIF) Write(w io.Writer) error {
	var b bytes.Buffer
	encode := func(margin string, v any) error {
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent(margin, "  ")
		return e.Encode(v)
	}
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "belay", Version: s.version, Rules: s.rules}}, Results: []sarifResult{}, ColumnKind: "unicodeCodePoints"}
	if err := encode("", sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}); err != nil {
		return err
	}
	// No string holds a line break as it is, so this is the member itself.
	member := "\n" + resultsMargin + `"results": [`
	head, tail, found := strings.Cut(b.String(), member+"]")
	if s.pile.Len() == 0 || !found {
		_, err := w.Write(b.Bytes())
		return err
	}
	b.Reset()
	b.WriteString(head + member)
	between := "\n" + resultMargin
	for f := range s.pile.All() {
		b.WriteString(between)
		if err := encode(resultMargin, sarifResultOf(f, s.at[f.Code])); err != nil {
			return err
		}
		b.Truncate(b.Len() - 1) // the line break after it
		if between = ",\n" + resultMargin; b.Len() >= pieceOfResults {
			if _, err := b.WriteTo(w); err != nil {
				return err
			}
		}
	}
	b.WriteString("\n" + resultsMargin + "]" + tail)
	_, err := b.WriteTo(w)
	return err
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool    sarifTool     `json:"tool"`
	Results []sarifResult `json:"results"`
	// ColumnKind is how columns would be counted; there are none.
	ColumnKind string `json:"columnKind"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID        string      `json:"id"`
	Short     sarifText   `json:"shortDescription"`
	Help      *sarifText  `json:"help,omitempty"`
	Configure sarifConfig `json:"defaultConfiguration"`
}

type sarifConfig struct {
	Level Severity `json:"level"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     Severity        `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations,omitempty"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine int `json:"startLine"`
}

func sarifRuleOf(r Rule, f Finding) sarifRule {
	s := sarifRule{ID: f.Code, Short: sarifText{r.Means}, Configure: sarifConfig{r.Severity}}
	if r.Code == "" {
		s.Short.Text, s.Configure.Level = f.Code, f.Severity
	}
	if r.Fix != "" {
		s.Help = &sarifText{r.Fix}
	}
	return s
}

func sarifResultOf(f Finding, rule int) sarifResult {
	text := f.Message
	if f.Fix != "" {
		text += ". To fix it: " + f.Fix
	}
	r := sarifResult{RuleID: f.Code, RuleIndex: rule, Level: f.Severity, Message: sarifText{Text: strings.ToValidUTF8(text, "�")}}
	place := sarifPhysical{Artifact: sarifArtifact{URI: "."}}
	if f.Path != "" {
		place.Artifact.URI = (&url.URL{Path: strings.ToValidUTF8(f.Path, "�")}).String()
	}
	if f.Line > 0 {
		place.Region = &sarifRegion{f.Line}
	}
	r.Locations = []sarifLocation{{place}}
	return r
}
