package scan

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Covers: workspace 15, 15.1, 15.3
func TestListing(t *testing.T) {
	t.Parallel()
	root := tree(t, "PKG-01_A_B/1_Working/DEL-01-01_x/_STATUS.md = OPEN", "PKG-01_A_B/1_Working/DEL-01-01_x/Dependencies.csv",
		"PKG-01_A_B/1_Working/DEL-01-01_x/_MEMORY.md", "PKG-01_A_B/1_Working/DEL-01-01_y/_STATUS.md = RETIRED", "PKG-01_A_B/3_Issued/DEL-01-01_x/a.pdf",
		"PKG-01_A_B/1_Working/KTY-AB-01_k/", "_Decomposition/d.md", "_Mine/")
	if err := write(root+"/_Decomposition", "d.md", "knowledge types"); err != nil {
		t.Fatal(err)
	}
	r := scanned(t, root, Options{})
	l := r.Listing(root, time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.FixedZone("x", 3600)))
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(l); err != nil {
		t.Fatal(err)
	}
	want := `{
 "projectRoot": "ROOT",
 "scannedAt": "2026-01-02T02:04:05.006Z",
 "deliverables": [
  {
   "id": "DEL-01-01",
   "name": "x",
   "pkg": "PKG-01_A_B",
   "status": "open",
   "path": "ROOT/PKG-01_A_B/1_Working/DEL-01-01_x"
  },
  {
   "id": "DEL-01-01",
   "name": "y",
   "pkg": "PKG-01_A_B",
   "status": "unknown",
   "path": "ROOT/PKG-01_A_B/1_Working/DEL-01-01_y",
   "recordedState": "RETIRED"
  }
 ],
 "knowledgeDecomposition": {
  "enabled": true,
  "markerFile": "ROOT/_Decomposition/d.md"
 },
 "knowledgeTypes": [
  {
   "id": "dependencies",
   "label": "Dependencies",
   "matchingDeliverableKeys": [
    "PKG-01_A_B::DEL-01-01"
   ]
  },
  {
   "id": "status",
   "label": "Status",
   "matchingDeliverableKeys": [
    "PKG-01_A_B::DEL-01-01"
   ]
  }
 ],
 "truncated": false,
 "packages": [
  {
   "id": "PKG-01",
   "name": "A B",
   "folder": "PKG-01_A_B",
   "path": "ROOT/PKG-01_A_B",
   "deliverables": 2
  }
 ],
 "copies": [
  {
   "id": "DEL-01-01",
   "name": "x",
   "pkg": "PKG-01_A_B",
   "status": "unknown",
   "path": "ROOT/PKG-01_A_B/3_Issued/DEL-01-01_x",
   "place": "issued"
  }
 ],
 "knowledgeFolders": [
  {
   "id": "KTY-AB-01",
   "name": "k",
   "pkg": "PKG-01_A_B",
   "status": "unknown",
   "path": "ROOT/PKG-01_A_B/1_Working/KTY-AB-01_k"
  }
 ],
 "toolRoots": [
  {
   "name": "_Decomposition",
   "path": "ROOT/_Decomposition",
   "known": true
  },
  {
   "name": "_Mine",
   "path": "ROOT/_Mine",
   "known": false
  }
 ],
 "findings": [
  {
   "path": "PKG-01_A_B/1_Working/DEL-01-01_y",
   "severity": "error",
   "code": "DUPLICATE_DELIVERABLE_ID",
   "value": "DEL-01-01",
   "message": "PKG-01_A_B/1_Working/DEL-01-01_x has the id DEL-01-01 too",
   "fix": "give one of them an id of its own, or move it to 1_Working/_Archive"
  }
 ]
}
`
	got := strings.ReplaceAll(strings.ReplaceAll(b.String(), `\\`, "/"), strings.ReplaceAll(root, `\`, "/"), "ROOT")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	empty := scanned(t, t.TempDir(), Options{}).Listing("/", time.Time{})
	data, err := json.Marshal(empty)
	if err != nil || bytes.Contains(data, []byte(":null")) && !bytes.Contains(data, []byte(`{"enabled":false,"markerFile":null}`)) {
		t.Errorf("an empty project is %s, %v", data, err)
	}
}
