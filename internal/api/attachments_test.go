package api_test

import (
	"net/http"
	"testing"

	"belay/internal/api"
	"belay/internal/api/apitest"
)

// Of a form that goes on after its file nothing is kept.
func TestFormThatGoesOnHasNoEffect(t *testing.T) {
	t.Parallel()
	engine := &apitest.Engine{}
	base := serve(t, api.New(api.Options{Engine: engine}))
	form := "--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\none\r\n" +
		"--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"b\"\r\n\r\ntwo\r\n--X--\r\n"
	res := request(t, base, "POST", "/api/harness/attachments?projectRoot=/project", form,
		map[string]string{"Content-Type": "multipart/form-data; boundary=X"})
	if e, _ := refusal(t, res); res.StatusCode != http.StatusBadRequest || e.Message != "the form must end after its one file" {
		t.Errorf("%s %s", res.Status, e.Message)
	}
	if kept := apitest.Uploads(engine); len(kept) > 0 {
		t.Errorf("the engine has %v", kept)
	}
}
