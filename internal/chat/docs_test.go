package chat

import (
	"os"
	"strings"
	"testing"
)

// The page on the chat has every command and every key that the help has.
func TestThePageHasEverything(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/chat.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands() {
		if row := "| `" + strings.TrimSpace("/"+c.name+" "+c.takes) + "` |"; !strings.Contains(string(page), row) {
			t.Errorf("docs/chat.md has no row %s", row)
		}
	}
	for _, k := range keyHelp() {
		if !strings.Contains(string(page), "| "+k[0]+" |") {
			t.Errorf("docs/chat.md has no row for %s", k[0])
		}
	}
	for other := range otherNames {
		if !strings.Contains(string(page), "`/"+other+"`") {
			t.Errorf("docs/chat.md does not name /%s", other)
		}
	}
}
