package attachment

import (
	"context"
	"errors"
	"strings"
)

// Reference is the item of an address that is not fetched: one that the model gets as
// text ([KindURL]), or an image that its service fetches ([KindImage]). Its
// bytes in the store are the address.
func Reference(ctx context.Context, kind Kind, address, name, origin string, b BlobStore) (Item, error) {
	if kind != KindURL && kind != KindImage {
		return Item{}, errors.New("attachment: only addresses and images can be passed on")
	}
	sha, n, err := b.Put(ctx, strings.NewReader(address+"\r\n"), int64(len(address))+2)
	if err != nil {
		return Item{}, storageFault(err)
	}
	return Item{
		SHA256: sha, Kind: kind, MIMEType: mimeAddress, Bytes: n,
		Name: label(name), Origin: origin, URL: address, Named: true,
	}, nil
}

// label is a name as its author gave it, made safe as [DisplayName] does. It is no
// path: all of it stays.
func label(name string) string {
	if name = strings.TrimSpace(visible(name)); name != "" {
		return shorten(name, maxNameBytes)
	}
	return "unnamed"
}
