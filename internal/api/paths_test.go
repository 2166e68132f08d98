package api_test

import (
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"belay/internal/api"
	"belay/internal/api/apitest"
	"belay/internal/workspace/index"
	"belay/internal/workspace/statusfile"
)

// The name of a folder may end with a blank: nothing of a path is taken away.
func TestPathsAreTakenAsSent(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	blank := filepath.Join(parent, "x ")
	setState(t, filepath.Join(parent, "x"), "OPEN")
	setState(t, blank, "INITIALIZED")
	set := index.NewSet(index.Options{})
	t.Cleanup(set.Close)
	base := serve(t, api.New(api.Options{Engine: &apitest.Engine{}, Projects: api.Projects{Index: set, Transitions: &statusfile.Writer{Bytes: 1 << 20}}}))

	query := "?projectRoot=" + url.QueryEscape(blank)
	if _, body := fetch(t, base+"/api/project/deliverables"+query); !strings.Contains(body, `"status":"initialized"`) {
		t.Errorf("the listing is %s", body)
	}
	status := base + "/api/working-root/deliverable/status" + query + "&deliverablePath=" +
		url.QueryEscape(filepath.Join(blank, "PKG-01_Site", "1_Working", "DEL-01-01_Plan"))
	if _, body := fetch(t, status); !strings.Contains(body, "INITIALIZED") {
		t.Errorf("the status is %s", body)
	}
	if _, body := fetch(t, status+"+"); !strings.Contains(body, "DELIVERABLE_NOT_FOUND") {
		t.Errorf("a folder that is not there: %s", body)
	}
	res, err := http.Post(base+"/api/working-root/validate", "application/json", strings.NewReader(`{"projectRoot":"`+blank+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, _ := io.ReadAll(res.Body); !strings.Contains(string(body), `"projectRoot":"`+blank+`"`) {
		t.Errorf("the folder is %s", body)
	}
}
