package browser

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"belay/internal/api/apitest"
)

// writeFiles makes a picture, a table and a text with a name that is markup.
func writeFiles(t *testing.T) (paths []string) {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, 40, 30))
	for x := range 40 {
		for y := range 30 {
			picture.Set(x, y, color.RGBA{uint8(6 * x), uint8(8 * y), 120, 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, picture); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range []struct {
		name string
		data []byte
	}{
		{"plan.png", b.Bytes()},
		{"levels.csv", []byte("point,level\n\"D0, north\",3.45\nD1,3.57\n")},
		{"<img src=x onerror=alert(1)>.txt", []byte("<b>plain</b>")},
	} {
		path := filepath.Join(dir, f.name)
		if err := os.WriteFile(path, f.data, 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// A file that is attached can be looked at before it is sent: a picture on a canvas, a
// table as one, a text as what it is, whatever its name.
func TestPreviews(t *testing.T) {
	b := signedIn(t, &apitest.Engine{})
	brief, err := filepath.Abs("../../examples/project/documents/brief.pdf")
	if err != nil {
		t.Fatal(err)
	}
	b.do(chromedp.SetUploadFiles(chromedp.CSS("#pick"), append(writeFiles(t), brief)))
	b.until("document.querySelectorAll('#files li.ready').length === 4")
	look := func(nth int, condition string) {
		b.t.Helper()
		b.do(press("Shift+Tab"))
		b.tabTo("#files li:nth-child(" + string(rune('0'+nth)) + ") .preset")
		b.do(press("Enter"))
		b.until(condition)
		b.shot("preview-" + string(rune('0'+nth)))
		b.do(press("Escape"))
		b.until("!document.querySelector('dialog')")
	}
	look(1, "document.querySelector('dialog canvas')?.dataset.drawn === '40x30'")
	look(2, "document.querySelector('dialog td')?.innerText === 'D0, north' && document.querySelectorAll('dialog tbody tr').length === 2")
	look(4, "document.querySelector('dialog canvas.page')?.dataset.drawn && document.querySelector('dialog .pages').dataset.pages >= 1")
	look(3, "document.querySelector('dialog pre')?.innerText === '<b>plain</b>' && document.querySelector('dialog h2').innerText === '<img src=x onerror=alert(1)>.txt'")
}

// Files that are dropped anywhere on the page are attached.
func TestDropAnywhere(t *testing.T) {
	b := signedIn(t, &apitest.Engine{})
	drag := func(kind string) {
		value[bool](b, `(() => { const data = new DataTransfer(); data.items.add(new File(["one"], "dropped.txt", { type: "text/plain" }));
			document.querySelector(".pane").dispatchEvent(new DragEvent("`+kind+`", { dataTransfer: data, bubbles: true, cancelable: true })); return true; })()`)
	}
	drag("dragenter")
	b.until("document.querySelector('.drop')")
	drag("drop")
	b.until("!document.querySelector('.drop') && document.querySelector('#files li.ready')?.innerText.includes('dropped.txt')")
}

// A file of the project goes with a message as it is, found folder by folder; what no turn
// takes cannot be chosen, and the program's verdict is there before the message is sent.
func TestProjectFiles(t *testing.T) {
	b, project := real(t)
	for _, name := range []string{"tool.exe", "plan.png"} {
		if err := os.WriteFile(filepath.Join(project, "survey", name), []byte("no picture"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b.until("document.querySelector('#persona option[value=ENGINEER]')")
	b.tabTo("#attach")
	b.do(press("Enter"))
	b.until("document.activeElement.getAttribute('role') === 'menuitem'")
	b.do(press("ArrowDown", "Enter"))
	b.until("[...document.querySelectorAll('.entry')].some(e => e.innerText.trim() === 'survey')")
	value[bool](b, "[...document.querySelectorAll('.entry')].find(e => e.innerText.trim() === 'survey').focus() === undefined")
	b.do(press("Enter"))
	b.until("document.querySelector('.entry.unfit')?.innerText.includes('tool.exe') && document.querySelector('.entry.unfit input').disabled")
	b.shot("project-picker")
	for _, name := range []string{"levels.csv", "plan.png"} {
		value[bool](b, "[...document.querySelectorAll('.entry')].find(e => e.innerText.trim() === '"+name+"').querySelector('input').focus() === undefined")
		b.do(press("Space"))
	}
	b.tabTo("#attach-chosen")
	b.do(press("Enter"))
	b.until("document.querySelector('#files li.ready .about')?.innerText.includes('tokens')")
	b.tabTo("#files .preset")
	b.do(press("Enter"))
	b.until("document.querySelectorAll('dialog tbody tr').length > 1")
	b.do(press("Escape"))
	// A file that is not what its name says is refused before it is sent.
	b.until("document.querySelector('#files li.bad')")
	b.shot("verdict")
	if got := b.text("#files li.bad"); !strings.Contains(got, "plan.png") || !strings.Contains(got, "the bytes are text") {
		t.Errorf("the verdict reads %q", got)
	}
}

// The link of a finding may name a folder.
func TestFolderHasAnAddress(t *testing.T) {
	b, _ := real(t)
	b.mayFail() // it is no file
	b.visitPath(b.home() + "/files?path=documents")
	b.until("[...document.querySelectorAll('.file-view .found-name')].some(e => e.innerText === 'brief.pdf') && !document.querySelector('.notice.bad')")
	b.shot("folder")
	value[bool](b, "[...document.querySelectorAll('.file-view .found-name')].find(e => e.innerText === 'brief.pdf').click() === undefined")
	b.until("document.querySelector('canvas.page[data-drawn]')")
	b.visitPath(b.home() + "/files?path=nowhere")
	b.until("document.querySelector('.notice.bad')?.innerText.includes('There is no file nowhere')")
}
