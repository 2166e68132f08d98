package attachment

import (
	"context"
	"fmt"
)

// addressDelivery gives the model an image's address.
func addressDelivery(it Item) Delivery {
	return Delivery{
		Parts:     []Part{ImageURLPart{Name: it.Name, URL: it.URL, Detail: it.Detail}},
		Used:      usedAddress,
		WireBytes: escapedLen(it.URL) + blockBytes,
		Tokens:    maxImageTokens,
		Images:    1,
	}
}

// referenceDelivery tells the model of an address.
func referenceDelivery(it Item) Delivery {
	name := ""
	if it.Name != "" && it.Name != it.URL {
		name = fmt.Sprintf(" (%q)", it.Name)
	}
	text := fmt.Sprintf("[The attachment%s is the address %s; nothing was fetched from it.]", name, visible(it.URL))
	return Delivery{
		Parts:     []Part{TextPart{Text: text}},
		Used:      usedAddress,
		WireBytes: escapedLen(text) + blockBytes,
		Tokens:    textTokens(int64(len(text))),
	}
}

// planPage delivers the text of a page.
func (p *Planner) planPage(ctx context.Context, it Item, src Content, l Limits) (Delivery, error) {
	return p.planText(ctx, it, src, l)
}
