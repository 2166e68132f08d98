package browser

import (
	"context"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// press presses keys one after the other as a keyboard does: what the page handles
// itself types nothing. A key is a character or a name such as Enter, Escape and
// Ctrl+k.
func press(keys ...string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		for _, key := range keys {
			p := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: key}
			for prefix, bit := range map[string]int64{"Alt+": 1, "Ctrl+": 2} {
				if rest, ok := strings.CutPrefix(p.Key, prefix); ok {
					p.Key, p.Modifiers = rest, bit
				}
			}
			switch {
			case p.Key == "Enter":
				p.Text, p.Code, p.WindowsVirtualKeyCode = "\r", "Enter", 13
			case p.Key == "Escape":
				p.Code, p.WindowsVirtualKeyCode = "Escape", 27
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
