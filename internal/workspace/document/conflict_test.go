package document

import (
	"strings"
	"testing"
)

func TestConflict(t *testing.T) {
	t.Parallel()
	const marks = "<<<<<<< HEAD\nmine\n=======\ntheirs\n>>>>>>> other\n"
	for _, c := range []struct {
		text string
		line int
	}{
		{"# A\n" + marks, 2}, {strings.ReplaceAll("# A\n"+marks, "\n", "\r\n"), 2},
		{"<<<<<<< ours\nmine\n||||||| base\nwas\n=======\ntheirs\n>>>>>>> theirs\n", 1},
		{"A heading\n=======\n", 0}, {"<<<<<<< is a mark\n\nA heading\n=======\n", 0}, {">>>>>>> a quote of quotes\n", 0}, {"    " + marks, 0},
		{"```\n" + marks + "```\n", 0}, {"~~~ text\n" + marks, 0}, {"<!--\n" + marks + "-->\n", 0},
		{"```\n" + marks + "```\n" + marks, 8},
		// The conflict itself ends the code on one side.
		{"```\n<<<<<<< HEAD\n```\nmine\n=======\ntheirs\n```\n>>>>>>> other\n", 2},
	} {
		if got := Parse([]byte(c.text)).Conflict(); got != c.line {
			t.Errorf("the conflict in %q begins in line %d, want %d", c.text, got, c.line)
		}
	}
	if got := ConflictInText("ID,Quote\n1,\"\n```\n" + marks + "```\n\"\n"); got != 4 {
		t.Errorf("in a file that is no Markdown it begins in line %d, want 4", got)
	}
}
