package config

import (
	"strings"
	"testing"
)

// A setting that there is not is no key only because it is called so.
func TestKnownNamesOfKeys(t *testing.T) {
	t.Parallel()
	for name, is := range map[string]bool{
		"anthropic.api_key": true, "ANTHROPIC_API_KEY": true, "openai.key": true, "discord.token": true, "token": true, "server.token": true,
		"nope.key": false, "turn.token": false, "key": false, "bash.tokens": false,
	} {
		if got := UnknownSetting(name).Message == keysInFiles; got != is {
			t.Errorf("%s: %q", name, UnknownSetting(name))
		}
	}
	if p := UnknownSetting("nope.key"); p.Message != "is not a setting" || !strings.Contains(p.Hint, "belay config show") {
		t.Errorf("%+v", p)
	}
}
