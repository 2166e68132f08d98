package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Device is a browser that has the operator's authority.
type Device struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	// LastSeenAt is exact to about ten minutes.
	CreatedAt  time.Time `json:"createdAt"`
	LastSeenAt time.Time `json:"lastSeenAt"`
	ExpiresAt  time.Time `json:"expiresAt"`
}

// Devices is a server's list of browsers with the operator's authority; the client's token must
// be the operator's.
type Devices struct{ server *server }

// DevicesOf returns the list of the client's server.
func DevicesOf(c *Client) Devices { return Devices{c.server} }

// List returns all of them, the one used last first.
func (d Devices) List(ctx context.Context) ([]Device, error) {
	var out struct{ Devices []Device }
	err := d.server.call(ctx, http.MethodGet, "/api/auth/devices", nil, &out)
	return out.Devices, err
}

// Remove takes the operator's authority from a browser. NOT_FOUND where there is none with that
// id.
func (d Devices) Remove(ctx context.Context, id string) error {
	return d.server.call(ctx, http.MethodDelete, "/api/auth/device/"+url.PathEscape(id), nil, new(struct{}))
}
