package permit

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"
)

// Somebody removes the store's folder while it is open: the next question is asked
// and answered, from this process and from another.
func TestRequestsFolderIsMadeAgain(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("skipped: an open folder cannot be removed there")
	}
	dir := filepath.Join(t.TempDir(), "state", "permit")
	d := openRequests(t, dir)
	post(t, d, question("dec_1"))
	must(t, os.RemoveAll(filepath.Dir(dir)))
	p := post(t, d, question("dec_2"))
	dec, err := openRequests(t, dir).Decide(soon(t), "", "dec_2", VerdictAllowSession, "ann", "")
	must(t, err)
	if got, err := p.Wait(soon(t)); err != nil || !reflect.DeepEqual(got, dec) {
		t.Errorf("the asker got %+v, %v, want %+v", got, err, dec)
	}
	if !d.Granted("sess_1", "WORKING_ITEMS", question("").Effect) {
		t.Error("the grant is lost")
	}
	if made, err := d.Restore(); made || err != nil {
		t.Errorf("restored: %v, %v", made, err)
	}
}
