package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Entries of discord.channels, and what is wrong with others.
func TestDiscordChannels(t *testing.T) {
	t.Parallel()
	var got map[string]DiscordChannel
	v := discordChannels(&got)
	if err := v.set(`{"7": {project: /p/../q, persona: WRITER, mode: active, deciders: ["8", 9], publish: ["out/*.pdf"]}}`, ""); err != nil {
		t.Fatal(err)
	}
	want := map[string]DiscordChannel{"7": {Project: "/q", Persona: "WRITER", Mode: "active", Deciders: []string{"8", "9"}, Publish: []string{"out/*.pdf"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	again := v.String()
	if err := v.set(again, ""); err != nil || v.String() != again {
		t.Errorf("%s is not read back: %v", again, err)
	}
	for text, want := range map[string]string{
		`[]`:                                      "expects a mapping",
		`{"7": /p}`:                               "expects a mapping of project",
		`{"7": {}}`:                               "has no project",
		`{"7": {project: p}}`:                     "absolute path",
		`{"7": {project: /p, mode: all}}`:         "mention or active",
		`{"7": {project: /p, deciders: [ada]}}`:   "no id of Discord",
		`{"7": {project: /p, deciders: "8"}}`:     "list",
		`{"7": {project: /p, publish: "*"}}`:      "list of at most",
		`{"7": {project: /p, publish: [" "]}}`:    "no pattern of files",
		`{"7": {project: /p, colour: red}}`:       "is not one of",
		`{"7": {project: /p, persona: [WRITER]}}`: "expects a string",
		`{"general": {project: /p}}`:              "no id of Discord",
	} {
		if err := v.set(text, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// The token comes from the environment only, is never shown, and has serve run the bus.
func TestDiscordToken(t *testing.T) {
	t.Parallel()
	const token = "MTIz.secret.token"
	c, problems := Load(Options{Env: map[string]string{"BELAY_DISCORD_TOKEN": token}, Home: t.TempDir(), Dir: t.TempDir(), System: "linux"})
	if problems != nil || c.Keys.Discord.Reveal() != token || !c.RunsBus() {
		t.Fatalf("problems %v, set %v, bus %v", problems, c.Keys.Discord, c.RunsBus())
	}
	for _, r := range c.Show() {
		if strings.Contains(r.Value, "secret") {
			t.Errorf("%s shows the token", r.Key)
		}
	}
	if len(c.Keys.All) != 1 {
		t.Error("the token is not among the secrets that are redacted")
	}
	c.Bus.Enabled = BusOff
	if c.RunsBus() {
		t.Error("a bus that is switched off runs")
	}
}
