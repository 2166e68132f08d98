package finding

import (
	"net/url"
	"strings"
)

// SARIF is findings in the form of the Static Analysis Results Interchange Format
// 2.1.0, which code hosts and editors read. Only rules with findings are
// listed. It is a value to be written as JSON.
type SARIF struct{ sarifLog }

// NewSARIF returns the form of findings. Version is the program's; rules describe the
// codes. Paths become URIs relative to the project; a finding about the whole project has
// none but ".".
func NewSARIF(version string, rules []Rule, all []Finding) SARIF {
	described := make(map[string]Rule, len(rules))
	for _, r := range rules {
		described[r.Code] = r
	}
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "belay", Version: version, Rules: []sarifRule{}}}, Results: []sarifResult{}, ColumnKind: "unicodeCodePoints"}
	at := map[string]int{}
	for _, f := range all {
		if _, ok := at[f.Code]; !ok {
			at[f.Code] = len(at)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(described[f.Code], f))
		}
		run.Results = append(run.Results, sarifResultOf(f, at[f.Code]))
	}
	return SARIF{sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}}
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
