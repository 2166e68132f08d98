package register

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLint: what is found in a register, besides what real ones have.
//
// Covers: workspace 6.2
func TestLint(t *testing.T) {
	t.Parallel()
	full := []string{"TargetName", "Other", "TargetPackageID", "PKG-01", "Statement", "It needs it.", "Explicitness", "EXPLICIT", "Confidence", "HIGH"}
	good := string(put(t, Parse(nil), anchor("DEP-01-02-001", full...), aRow("DEP-01-02-002", full...)).Bytes())
	for name, c := range map[string]struct {
		text string
		want []string
		fix  string
	}{
		"as it should be":                 {good, nil, ""},
		"a column more":                   {strings.NewReplacer(",Notes\n", ",Notes,Own\n", "ACTIVE,\n", "ACTIVE,,x\n").Replace(good), []string{"UNKNOWN_COLUMN Own"}, ""},
		"a column more, twice":            {strings.NewReplacer(",Notes\n", ",Notes,Own,Own\n", "ACTIVE,\n", "ACTIVE,,x,y\n").Replace(good), []string{"UNKNOWN_COLUMN Own", "UNKNOWN_COLUMN Own", "DUPLICATE_COLUMN Own"}, ""},
		"a known column twice":            {strings.NewReplacer(",Notes\n", ",Notes,Notes\n", "ACTIVE,\n", "ACTIVE,,\n").Replace(good), []string{"DUPLICATE_COLUMN Notes"}, ""},
		"a long row, and what is in it":   {strings.Replace(good, "v3.1,DEP-01-02-002,PKG-01,DEL-01-02,Some Name,EXECUTION", "v3,DEP-0102-2,PKG-01,DEL-01-02,Some, Name,EXECUTION", 1), []string{"MALFORMED_ROW ", "INVALID_SCHEMA_VERSION RegisterSchemaVersion", "INVALID_DEPENDENCY_ID_FORMAT DependencyID"}, "put quotes around"},
		"empty cells without a header":    {strings.Replace(good, "ACTIVE,\n", "ACTIVE,,,\n", 1), []string{"MALFORMED_ROW "}, "remove the 2 commas at the end of the row"},
		"cells of columns without a name": {strings.ReplaceAll(good, "ACTIVE,\n", "ACTIVE,,BLOCKING\n"), []string{"MALFORMED_ROW ", "MALFORMED_ROW "}, "name the last 1 columns in the header"},
		"cells that should be filled in": {strings.NewReplacer("Other", "", "It needs it.", "", "EXPLICIT", "", "HIGH", "").Replace(good), []string{
			"RECOMMENDED_VALUE_MISSING TargetName", "RECOMMENDED_VALUE_MISSING Statement", "RECOMMENDED_VALUE_MISSING Explicitness", "RECOMMENDED_VALUE_MISSING Confidence",
			"RECOMMENDED_VALUE_MISSING TargetName", "RECOMMENDED_VALUE_MISSING Statement", "RECOMMENDED_VALUE_MISSING Explicitness", "RECOMMENDED_VALUE_MISSING Confidence",
		}, ""},
	} {
		var got []string
		for _, f := range Parse([]byte(c.text)).Lint("PKG-01_x/1_Working/DEL-01-02_Some Name/Dependencies.csv", host) {
			if f.Code == ruleLongRow.Code || !strings.HasPrefix(name, "a long row") || len(got) < len(c.want) {
				got = append(got, f.Code+" "+f.Column)
			}
			if f.Code == ruleLongRow.Code && !strings.Contains(f.Fix, c.fix) {
				t.Errorf("%s: %s", name, f.Fix)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
