package browser

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// screen is a view as the documentation shows it. In its path, names in braces stand for what
// its server made: {session}, for example.
type screen struct {
	view
	title, server string
	// act leads further than one click.
	act func(b *tab)
}

// chapter is a group of screens.
type chapter struct {
	title   string
	screens []screen
}

// pictured are the pages with pictures: where each is, how it begins, and what it shows.
var pictured = []struct {
	file, begin string
	chapters    []chapter
}{
	{"screens.md", `# Screens

The views of workbench, inbox and settings, light and dark, on a desktop and on a phone. [page.md](page.md) explains them.
[screens-project.md](screens-project.md) has the views of a project. ` + "`make screens`" + ` takes the pictures and writes both pages anew, with
the program, its scripted provider and projects that exist only for them.
`, workbenchScreens},
	{"screens-project.md", `# Screens of a project

The views of a project, light and dark, on a desktop and on a phone. [page.md](page.md#projects) explains them, and
[screens.md](screens.md) has the views of workbench, inbox and settings.
`, projectScreens},
}

// maxScreen bounds a picture of the documentation, in bytes; maxScreens all of them.
const (
	maxScreen  = 100 << 10
	maxScreens = 8 << 20
)

var (
	schemes = []string{"light", "dark"}
	devices = []string{"desktop", "phone"}
)

func picture(name, device, scheme string) string {
	return fmt.Sprintf("screens-%s-%s-%s.png", name, device, scheme)
}

// screensPage is the text of a page with pictures.
func screensPage(begin string, chapters []chapter) string {
	var s strings.Builder
	s.WriteString(begin)
	for _, c := range chapters {
		fmt.Fprintf(&s, "\n## %s\n", c.title)
		for _, one := range c.screens {
			fmt.Fprintf(&s, "\n### %s\n\n| light | dark |\n|---|---|\n", one.title)
			for _, device := range devices {
				for _, scheme := range schemes {
					fmt.Fprintf(&s, "| ![%s, %s, on a %s](images/%s) ", one.title, scheme, device, picture(one.name, device, scheme))
				}
				s.WriteString("|\n")
			}
		}
	}
	return s.String()
}

// Each view is shown in docs/, light and dark, on a desktop and on a phone. The pictures are
// small, and each belongs to a view.
func TestScreensAreShown(t *testing.T) {
	docs := "../../docs"
	all := map[string]bool{}
	for _, p := range pictured {
		page, err := os.ReadFile(filepath.Join(docs, p.file))
		if err != nil {
			t.Fatal(err)
		}
		if string(page) != screensPage(p.begin, p.chapters) {
			t.Errorf("docs/%s is not what its table says: run make screens", p.file)
		}
		for _, c := range p.chapters {
			for _, s := range c.screens {
				for _, device := range devices {
					for _, scheme := range schemes {
						name := picture(s.name, device, scheme)
						if all[name] {
							t.Errorf("two views have the picture %s", name)
						}
						all[name] = true
					}
				}
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(docs, "images", "screens-*"))
	if err != nil {
		t.Fatal(err)
	}
	var sum int64
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		sum += info.Size()
		if info.Size() > maxScreen {
			t.Errorf("%s has %d bytes", file, info.Size())
		}
		if name := filepath.Base(file); !all[name] {
			t.Errorf("%s belongs to no view", name)
		}
		delete(all, filepath.Base(file))
	}
	for name := range all {
		t.Errorf("the picture %s is missing: run make screens", name)
	}
	if sum > maxScreens {
		t.Errorf("the pictures have %d bytes", sum)
	}
}

// The pictures of docs/ are taken with BELAY_SCREENS=../../docs (make screens); without it,
// those of one server show that they can be. BELAY_ONLY names some of them, separated by commas.
func TestScreens(t *testing.T) {
	to, only := os.Getenv("BELAY_SCREENS"), os.Getenv("BELAY_ONLY")
	for name, start := range screenServers {
		if to == "" && name != "memory" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			b, names := start(t)
			for _, p := range pictured {
				for _, c := range p.chapters {
					for _, s := range c.screens {
						if s.server == name && (only == "" || slices.Contains(strings.Split(only, ","), s.name)) {
							s.path = strings.NewReplacer(names...).Replace(s.path)
							b.photograph(to, s)
						}
					}
				}
			}
		})
	}
	if to == "" {
		return
	}
	for _, p := range pictured {
		if err := os.WriteFile(filepath.Join(to, p.file), []byte(screensPage(p.begin, p.chapters)), 0o644); err != nil { //nolint:gosec // a page for everybody
			t.Fatal(err)
		}
	}
}

// photograph takes the four pictures of a view.
func (b *tab) photograph(to string, s screen) {
	b.t.Helper()
	for _, device := range devices {
		size := chromedp.EmulateViewport(1200, 800)
		if device == "phone" {
			size = chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile, chromedp.EmulateTouch)
		}
		for _, scheme := range schemes {
			if to == "" && (scheme == "light") != (device == "desktop") {
				continue
			}
			b.do(size, colours(scheme))
			b.see(s.view)
			if s.act != nil {
				s.act(b)
			}
			b.until("document.fonts.status === 'loaded' && ![...document.querySelectorAll('p .spin, .button .spin')].some(e => e.checkVisibility() && !e.closest('.active-button'))")
			value[bool](b, "document.activeElement?.matches('#message, [aria-label=Close]') ? document.activeElement.blur() === undefined : true")
			b.hideHome()
			b.frame()
			name := picture(s.name, device, scheme)
			data := b.screen()
			if len(data) > maxScreen || len(data) < 1<<10 {
				b.t.Errorf("%s has %d bytes", name, len(data))
			}
			if to == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(to, "images", name), data, 0o644); err != nil { //nolint:gosec // a picture for everybody
				b.t.Fatal(err)
			}
		}
	}
}

// hideHome writes plain folders for that of the program's home and that of these sources.
func (b *tab) hideHome() {
	b.t.Helper()
	if b.program == nil {
		return
	}
	sources, err := filepath.Abs("../..")
	if err != nil {
		b.t.Fatal(err)
	}
	value[bool](b, `(plain => { const all = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		while (all.nextNode()) if (plain(all.currentNode.data) !== all.currentNode.data) all.currentNode.data = plain(all.currentNode.data);
		for (const f of document.querySelectorAll("input, textarea")) if (plain(f.value) !== f.value) f.value = plain(f.value);
	})(text => text.replaceAll(`+quote(b.program.home)+`, "/home/me").replaceAll(`+quote(sources)+`, "/home/me/belay")) === undefined`)
}
