package openai

import "testing"

func TestOwn(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]bool{
		"": true, DefaultBaseURL: true, "https://us.api.openai.com/v1": true, "https://me.openai.azure.com/openai/v1": true,
		"http://us.api.openai.com/v1": false, "https://evilapi.openai.com.example/v1": false, "https://xapi.openai.com/v1": false, "http://127.0.0.1:11434/v1": false,
	} {
		if got := Own(base); got != want {
			t.Errorf("%q: %v", base, got)
		}
	}
}
