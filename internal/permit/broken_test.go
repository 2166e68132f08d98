package permit_test

import (
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"belay/internal/permit"
)

func TestBroken(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"echo 'x":                        "line 1, character 6: reached EOF without closing quote `'`",
		"true\nif true; then\n  echo x":  "line 2, character 1: `if` statement must end with `fi`",
		"(cd a && make":                  "line 1, character 1: reached EOF without matching `(` with `)`",
		"echo a (b)":                     "line 1, character 8: a command can only contain words and redirects; encountered `(`",
		"make)":                          "line 1, character 5: a command can only contain words and redirects; encountered `)`",
		"echo it's":                      "line 1, character 8: reached EOF without closing quote `'`",
		"exit 0\necho 'x":                "", // it is never read
		"trap 'exit 0' EXIT\necho 'x":    "",
		"$a 0\necho 'x":                  "",
		"cat <<EOF\nx":                   "", // a warning
		"let a[1]=":                      "",
		"echo $((foo); (bar))":           "",
		"for i in 1 2; do echo $i; done": "",
		"":                               "",
	} {
		if got := permit.Broken(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// What is called broken is refused by the shells that there are.
func TestBrokenIsRefusedByShells(t *testing.T) {
	t.Parallel()
	pieces := strings.Split("echo |rm |a |x=1 |'|\"|$(|)|(|{ |} |; |\n|&& |& |if |then |fi |else |for |do |done |while |case |in |esac |;; |[ |] |$x |> f |< |<( |! |f() |# c|*|\\|until |$'|2>&1 |{a,b}|exit |a=(", "|")
	random := rand.New(rand.NewPCG(1, 2))
	for found := 0; found < 300; {
		var text strings.Builder
		for range 2 + random.IntN(8) {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		mistake := permit.Broken(text.String())
		if mistake == "" {
			continue
		}
		found++
		for _, shell := range []string{"bash", "dash"} {
			path, err := exec.LookPath(shell)
			if err == nil && exec.CommandContext(t.Context(), path, "-n", "-c", text.String()).Run() == nil {
				t.Errorf("%s takes %q: %s", shell, text.String(), mistake)
			}
		}
	}
}
