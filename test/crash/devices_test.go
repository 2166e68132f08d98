//go:build crashtest

package crash

import (
	"context"
	"errors"
	"time"

	"belay/internal/api/device"
	"belay/internal/app"
)

// deviceScenarios are about browsers that have the operator's authority.
var deviceScenarios = []scenario{
	{
		name: "device",
		work: func(w *world, _ *app.App) {
			d, secret := w.addDevice(w.devices())
			w.acknowledged("the device", func(w *world, _ *app.App) error { return w.hasDevice(d.ID, secret, true) })
		},
	},
	{
		name: "removed device",
		work: func(w *world, _ *app.App) {
			all := w.devices()
			d, secret := w.addDevice(all)
			_, err := all.Remove(context.Background(), d.ID)
			w.try(err)
			w.acknowledged("the removal", func(w *world, _ *app.App) error { return w.hasDevice(d.ID, secret, false) })
		},
	},
}

func (w *world) devices() *device.Store {
	return device.New(device.Options{StateDir: w.state, Key: "the operator's token", Failed: w.try})
}

// addDevice adds a device that is kept.
func (w *world) addDevice(all *device.Store) (device.Device, string) {
	d, secret := all.Add(context.Background(), "Firefox on Linux", time.Hour)
	if !d.Kept {
		w.try(errors.New("the device is not kept"))
	}
	return d, secret
}

// hasDevice checks what a server finds after a restart.
func (w *world) hasDevice(id, secret string, want bool) error {
	if _, found := w.devices().Find(context.Background(), id, secret); found != want {
		return errors.New("the list of devices lost it")
	}
	return nil
}
