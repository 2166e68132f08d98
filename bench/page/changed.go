package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/chromedp/chromedp"

	"belay/bench/measure"
)

// changesPerRound are the changes of a file that are measured in a round.
const changesPerRound = 5

// bareFile is a bare page that shows a file, and fetches it again at each event.
var bareFile = bareDocument{
	main: `<pre class="file-view"></pre>`,
	script: `<script>
stream.onmessage = async () => { document.querySelector(".file-view").textContent = await (await fetch("/data")).text(); };
</script>`,
}

// changedFile measures how soon a file that changes is shown as it is.
func (b *bench) changedFile(ctx context.Context) ([]measure.Figure, error) {
	root, err := b.made(largeProject)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(largeProject.Path(root, 4_321), "Datasheet.md")
	path, err := filepath.Rel(root, file)
	if err != nil {
		return nil, err
	}
	var took measure.Series
	err = b.compare(ctx, setup{project: root}, bareFile, func(p pair, t *tab, isBare bool) error {
		// Reading and watching the project is the work of its first view.
		if _, err := p.belay.answer(ctx, "/api/project/deliverables", nil); err != nil {
			return err
		}
		at, err := p.belay.view(ctx, "/files?path="+url.QueryEscape(filepath.ToSlash(path)))
		if err != nil {
			return err
		}
		ready := "document.querySelector('.file-view .file-page')"
		if isBare {
			ready = "stream.readyState === 1"
		}
		if err := t.show(ctx, p.url(isBare, at), ready); err != nil {
			return err
		}
		for i := range changesPerRound + 1 {
			ms, err := t.change(ctx, p, isBare, file, fmt.Sprintf("change %d %t %d", i, isBare, time.Now().UnixNano()))
			if err != nil {
				return err
			}
			if i > 0 { // with the first one, the page may not have been told yet that the server reports changes
				took.Add(isBare, ms)
			}
		}
		return nil
	})
	return []measure.Figure{took.Figure("changed file", "a changed file of a project of 10,000 deliverables is shown", "ms", measure.AtMost(200))}, err
}

// change replaces a file and returns how long the page took to show it.
func (t *tab) change(ctx context.Context, p pair, isBare bool, file, words string) (float64, error) {
	if _, err := value[bool](t, fmt.Sprintf(awaitWords, ".file-view", words)); err != nil {
		return 0, err
	}
	text := []byte("# Datasheet\n\n" + words + "\n")
	begin := time.Now()
	if err := errors.Join(os.WriteFile(file+".new", text, 0o644), os.Rename(file+".new", file)); err != nil {
		return 0, err
	}
	if isBare {
		p.bare.give(text)
		if err := p.bare.say(ctx, `{}`); err != nil {
			return 0, err
		}
	}
	if err := t.until("window.benchWords"); err != nil {
		return 0, err
	}
	if err := t.do(chromedp.Sleep(2 * pause)); err != nil {
		return 0, err
	}
	shown, err := value[float64](t, "window.benchWords")
	return shown - float64(begin.UnixMicro())/1000, err
}

// pause lies between two changes, so that each is the first one of its time.
const pause = 200 * time.Millisecond
