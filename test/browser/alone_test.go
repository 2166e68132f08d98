package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"

	"belay/internal/api/apitest"
)

// With keys alone a session is imported. The dialog that chooses the file is the system's.
func TestImportByKeys(t *testing.T) {
	b := signedIn(t, &apitest.Engine{})
	file := filepath.Join(t.TempDir(), "talk.tar.gz")
	if err := os.WriteFile(file, []byte("archive of s9"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.until("document.querySelector('.project select')?.title === '/project'")
	value[bool](b, "(document.querySelector('#import').click = () => { window.choosing = true; }) !== null")
	b.tabTo("[aria-label=More]")
	b.do(press("Enter"))
	b.until("document.querySelector('[role=menu]')")
	for range 8 {
		if value[bool](b, "document.activeElement.innerText.includes('Import')") {
			break
		}
		b.do(press("ArrowDown"))
	}
	b.do(press("Enter"))
	b.until("window.choosing")
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#import"), []string{file}))
	b.until("location.pathname === '/s/s2'")
}

// With keys alone some files of a command's changes are applied, and the rest is not.
func TestApplySomeFilesByKeys(t *testing.T) {
	b := asking(t)
	b.visit("q/dec_2")
	b.do(chromedp.WaitVisible(chromedp.CSS(".question .pick")))
	for i, path := range []string{".envrc", "a.txt"} {
		value[bool](b, fmt.Sprintf("[...document.querySelectorAll('.pick')].find(l => l.innerText.trim() === 'Apply %s').querySelector('input').setAttribute('data-nth', %d) === undefined", path, i))
		b.do(press("Shift+Tab"))
		b.tabTo(fmt.Sprintf("[data-nth='%d']", i))
		b.do(press("Space"))
	}
	b.until("document.querySelector('.answers .primary').innerText.includes('Apply 1,205 of 1,207 files')")
	b.tabTo(".answers .primary")
	b.do(press("Enter"))
	b.until("location.pathname === '/q/dec_1'")
	if answers := apitest.Answers(b.engine); len(answers) != 1 || cmp.Diff([]string{"sub/b.txt", "build"}, answers[0].Only) != "" {
		t.Errorf("the answers are %+v", answers)
	}
}

// With keys alone a file is taken out of a message before it is sent; the focus goes back to
// the message.
func TestRemoveDraftFileByKeys(t *testing.T) {
	b := signedIn(t, &apitest.Engine{})
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#pick"), writeFiles(t)[:2]))
	b.until("document.querySelectorAll('#files li.ready').length === 2")
	b.tabTo("#files [aria-label='Remove plan.png']")
	b.do(press("Enter"))
	b.until("document.querySelectorAll('#files li').length === 1 && document.querySelector('#files li').innerText.includes('levels.csv') && document.activeElement.id === 'message'")
}

// Files of a message that is being written can be looked at after the page was loaded anew:
// the server has them.
func TestPreviewsAfterReload(t *testing.T) {
	b, _ := real(t)
	b.until("document.querySelector('#persona option[value=ENGINEER]')")
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#pick"), writeFiles(t)))
	b.until("document.querySelectorAll('#files li.ready').length === 3")
	b.do(chromedp.Reload())
	b.until("document.querySelectorAll('#files li.ready .preset').length === 3")
	for _, look := range []struct{ file, there string }{
		{"1", "document.querySelector('dialog canvas')?.dataset.drawn === '40x30'"},
		{"2", "document.querySelector('dialog td')?.innerText === 'D0, north'"},
		{"3", "document.querySelector('dialog pre')?.innerText === '<b>plain</b>'"},
	} {
		b.tabTo("#files li:nth-child(" + look.file + ") .preset")
		b.do(press("Enter"))
		b.until(look.there)
		b.do(press("Escape"))
		b.until("!document.querySelector('dialog')")
	}
}
