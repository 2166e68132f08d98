package api

import (
	"net/http"
	"time"

	"belay/internal/fault"
)

// deviceList is the answer of GET /api/auth/devices.
type deviceList struct {
	Devices []deviceInfo `json:"devices"`
}

// deviceInfo is a browser that has the operator's authority.
type deviceInfo struct {
	ID string `json:"id"`
	// Label is what the browser says that it is.
	Label     string    `json:"label"`
	CreatedAt time.Time `json:"createdAt"`
	// LastSeenAt is exact to about ten minutes.
	LastSeenAt time.Time `json:"lastSeenAt"`
	ExpiresAt  time.Time `json:"expiresAt"`
	// Current is set for the one that asks.
	Current bool `json:"current"`
}

func listDevices(c *call) (deviceList, error) {
	own, _ := c.o.Operator.device(c.r)
	all, err := c.o.Operator.devices.List()
	if err != nil {
		return deviceList{}, deviceFailure(err)
	}
	list := deviceList{Devices: make([]deviceInfo, len(all))}
	for i, d := range all {
		list.Devices[i] = deviceInfo{d.ID, d.Label, d.Created, d.Seen, d.Expires, d.ID == own.ID}
	}
	return list, nil
}

func removeDevice(c *call) (okAnswer, error) {
	o := c.o.Operator
	own, _ := o.device(c.r)
	found, err := o.devices.Remove(c.ctx(), c.id())
	switch {
	case err != nil:
		return okAnswer{}, deviceFailure(err)
	case !found:
		return okAnswer{}, fault.New(fault.NotFound, "there is no device %q", fault.Clip(c.id())).WithHint("GET /api/auth/devices lists them")
	}
	if own.ID == c.id() {
		http.SetCookie(c.w, o.noCookie(c.r))
	}
	return okAnswer{true}, nil
}

// logout removes the device that asks. The cookie of one without authority is cleared
// all the same.
func logout(c *call) (okAnswer, error) {
	o := c.o.Operator
	if o == nil {
		return okAnswer{}, notServed("has no operator")
	}
	if own, ok := o.device(c.r); ok {
		if _, err := o.devices.Remove(c.ctx(), own.ID); err != nil {
			return okAnswer{}, deviceFailure(err)
		}
	}
	http.SetCookie(c.w, o.noCookie(c.r))
	return okAnswer{true}, nil
}

// noCookie has a browser forget its cookie.
func (o *Operator) noCookie(r *http.Request) *http.Cookie {
	return &http.Cookie{Name: o.name, Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: encrypted(r)}
}

func deviceFailure(err error) error {
	return fault.New(fault.StorageFailure, "the list of devices could not be read or written").Because(err)
}
