package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
)

// inheritedListener is the socket that systemd opened for this process (sd_listen_fds(3)),
// nil where there is none. The caller closes it.
func inheritedListener() (net.Listener, error) {
	all, err := activation.Listeners()
	if err != nil {
		return nil, fmt.Errorf("take the socket of the service: %w", err)
	}
	if len(all) == 0 {
		return nil, nil
	}
	_, isTCP := all[0].(*net.TCPListener)
	if len(all) == 1 && isTCP {
		return all[0], nil
	}
	for _, l := range all {
		if l != nil {
			err = errors.Join(err, l.Close())
		}
	}
	return nil, errors.Join(err, failed(ExitUsage, "give the unit one ListenStream=HOST:PORT", errors.New("belay serve takes one TCP socket of the service manager")))
}

// tellManager tells systemd about the server's state (sd_notify(3)). Where no systemd
// asked for that, it does nothing; where telling fails, systemd itself notices.
func tellManager(state string) { _, _ = daemon.SdNotify(false, state) }

// tellStopping tells systemd that the server stops: when ctx is done, or when done is called.
// The call of done returns after systemd has the notice.
func tellStopping(ctx context.Context) (done func()) {
	tell := sync.OnceFunc(func() { tellManager(daemon.SdNotifyStopping) })
	stop := context.AfterFunc(ctx, tell)
	return func() {
		stop()
		tell() // the goroutine of AfterFunc may not have begun, and the process ends
	}
}
