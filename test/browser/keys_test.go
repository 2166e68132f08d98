package browser

import (
	"context"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// named are keys that type nothing, with the numbers that the browser wants.
var named = map[string]int64{
	"Escape": 27, "Tab": 9, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35, "Delete": 46, "F2": 113,
}

// tabTo goes to an element with the Tab key alone.
func (b *tab) tabTo(selector string) {
	b.t.Helper()
	b.until("[...document.querySelectorAll(" + strconv.Quote(selector) + ")].some(e => !e.disabled)")
	for range 120 {
		if value[bool](b, "Boolean(document.activeElement?.matches("+strconv.Quote(selector)+"))") {
			return
		}
		b.do(press("Tab"))
	}
	b.shot("failed")
	b.t.Fatalf("the Tab key never reaches %s", selector)
}

// press presses keys one after the other as a keyboard does: what the page handles
// itself types nothing. A key is a character or a name such as Enter, Escape and
// Ctrl+k.
func press(keys ...string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		for _, key := range keys {
			p := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: key}
			for prefix, bit := range map[string]int64{"Alt+": 1, "Ctrl+": 2, "Shift+": 8} {
				if rest, ok := strings.CutPrefix(p.Key, prefix); ok {
					p.Key, p.Modifiers = rest, bit
				}
			}
			switch {
			case p.Key == "Enter":
				p.Text, p.Code, p.WindowsVirtualKeyCode = "\r", "Enter", 13
			case p.Key == "Space":
				p.Key, p.Text, p.Code, p.WindowsVirtualKeyCode = " ", " ", "Space", 32
			case named[p.Key] != 0:
				p.Code, p.WindowsVirtualKeyCode = p.Key, named[p.Key]
			case p.Modifiers == 0:
				p.Text = p.Key
			}
			if _, err := cdp.Call(ctx, target, input.DispatchKeyEvent, p); err != nil {
				return err
			}
			p.Type, p.Text = input.DispatchKeyEventTypeKeyUp, ""
			if _, err := cdp.Call(ctx, target, input.DispatchKeyEvent, p); err != nil {
				return err
			}
		}
		return nil
	})
}

// fill types a text into a field. chromedp.SendKeys does the same, but reads the field's
// attributes while the browser's events change them.
func fill(field chromedp.CSS, text string) chromedp.Action[chromedp.Void] {
	return chromedp.Steps(focus(field), chromedp.KeyEvent(text))
}

// focus gives a field the focus. The page may draw it anew between the look for it and that.
func focus(field chromedp.CSS) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		for {
			_, err := chromedp.Focus(field, chromedp.NodeVisible)(ctx, target)
			if err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), "not focusable") {
				return err
			}
		}
	})
}
