package api_test

import (
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
)

// metricName is a name of ours, or of the collectors, in an expression.
var metricName = regexp.MustCompile(`\b(?:belay|process|go)_[a-z_]+`)

// The dashboard asks for nothing that the server does not measure.
func TestDashboard(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../docs/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t)
	// A route has its figures after the first answer.
	request(t, s.base, http.MethodGet, "/healthz", "", nil)
	res := request(t, s.base, http.MethodGet, "/metrics", "", map[string]string{"Authorization": "Bearer members"})
	all, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	names := metricName.FindAllString(string(data), -1)
	if len(names) < 10 {
		t.Errorf("the dashboard asks for %q alone", names)
	}
	for _, name := range names {
		described := strings.TrimSuffix(name, "_bucket")
		bus := strings.HasPrefix(name, "belay_bus_") // registered where a bus runs
		vector := name == "belay_turns_ended_total"  // has its first figure after a turn
		if !bus && !vector && !strings.Contains(string(all), "# TYPE "+described+" ") {
			t.Errorf("the dashboard asks for %s, which the server does not measure", name)
		}
	}
}
