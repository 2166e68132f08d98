package api_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"belay/internal/api"
	"belay/internal/api/apitest"
	"belay/internal/fault"
)

// refusal is the error of an answer, as a client reads it.
func refusal(t *testing.T, res *http.Response) (e struct {
	Message, Hint string
	Details       struct {
		Problems []fault.Problem
		More     int
	}
}, size int) {
	t.Helper()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	answer := struct{ Error any }{&e}
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatalf("%s: %.200s", res.Status, body)
	}
	return e, len(body)
}

// A body with a problem in each of its members has a short answer.
func TestProblemsOfABodyAreBounded(t *testing.T) {
	t.Parallel()
	const many = 10_000
	base := serve(t, api.New(api.Options{Engine: &apitest.Engine{}}))
	e, size := refusal(t, request(t, base, "POST", "/api/harness/attachments/inspect", `{"attachments":[1`+strings.Repeat(",1", many-1)+`]}`, nil))
	if len(e.Details.Problems) != fault.MaxProblems || e.Details.More != many-fault.MaxProblems || size > 20_000 {
		t.Errorf("%d problems and %d more in %d bytes: %s", len(e.Details.Problems), e.Details.More, size, e.Message)
	}
}

// What a caller calls a member is echoed in part, and the known members are listed once.
func TestUnknownMembersAreClipped(t *testing.T) {
	t.Parallel()
	base := serve(t, api.New(api.Options{Engine: &apitest.Engine{}}))
	e, size := refusal(t, request(t, base, "PATCH", "/api/harness/session/s1",
		`{"b`+strings.Repeat("x", 100_000)+`":1,"c":1}`, nil))
	if size > 2000 || strings.Count(e.Details.Problems[0].Message+e.Details.Problems[1].Message, "there are") != 1 {
		t.Errorf("%d bytes: %v", size, e)
	}
}
