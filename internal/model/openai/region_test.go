package openai

import (
	"net/http"
	"testing"
)

// OpenAI's models elsewhere are asked as at its own host.
func TestRegionsAreOpenAI(t *testing.T) {
	t.Parallel()
	hosts := []string{"us.api.openai.com", "mine.openai.azure.com"}
	for base, want := range map[string]int64{"https://us.api.openai.com/v1": 128_000, "https://mine.openai.azure.com/openai/v1": 400_000} {
		e, refused := service.Endpoint(base, hosts)
		if refused != nil {
			t.Fatal(refused)
		}
		o := Options{}
		if want != 128_000 {
			o.ContextTokens = want
		}
		p := o.newProtocol(e, http.DefaultClient).(*protocol)
		if l := p.Limits("a deployment"); !p.own || l.ContextTokens != want || l.Assumed != (o.ContextTokens == 0) {
			t.Errorf("%s: own %v, limits %+v", base, p.own, l)
		}
	}
}
