package test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// onOwnDisk runs a command whose folder is a small disk of its own.
const onOwnDisk = `mkdir -p "$1" && mount -t tmpfs -o size=12m tmpfs "$1" || exit 77
shift
exec "$@"
`

// The disk of the bus is full while people write. The operator's log says so and what to do,
// and the person reads that the message is not lost. Everything else goes on: a turn at a terminal
// is answered. With room again each message gets one answer.
func TestDiscordBusDiskFull(t *testing.T) {
	t.Parallel()
	d := newDiscord(t, "turns: [{steps: [{say: One.}]}, {steps: [{say: Two.}]}, {steps: [{say: Three.}]}]")
	d.place.env = append(d.place.env, d.publishes("*.txt"))
	bus := filepath.Join(d.place.value("XDG_STATE_HOME"), "belay", "bus")
	program, err := belay()
	must(t, err)
	cmd := d.place.command("serve", "--addr", "127.0.0.1:0")
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", onOwnDisk, "sh", bus, program, "serve", "--addr", "127.0.0.1:0"}
	cmd.SysProcAttr = inMountNamespace()
	d.connect(cmd)
	d.Say(d.channel, d.ada, d.Mention()+" first")
	d.until("One.")

	ballast := fmt.Sprintf("/proc/%d/root%s/ballast", d.cmd.Process.Pid, bus)
	fill(t, ballast)
	for range 2 { // more than the last block of the disk has room for
		d.Say(d.channel, d.ada, d.Mention()+" second "+strings.Repeat("and more ", 200))
	}
	for _, what := range []string{"no space left on device", "the bus does not store messages", "publish a request"} {
		d.Wait(t, "the operator's note: "+what, func() bool { return strings.Contains(d.log.String(), what) })
	}
	d.until("One.", "cannot pass this message on now")
	if out, err := d.place.command("turn", "meanwhile").CombinedOutput(); err != nil || !strings.Contains(string(out), "One.") {
		t.Errorf("a turn meanwhile: %v\n%s", err, out)
	}
	must(t, os.Remove(ballast))
	d.until("One.", "cannot pass this message on now", "Two.")
	d.Say(d.channel, d.ada, d.Mention()+" third")
	d.until("One.", "cannot pass this message on now", "Two.", "Three.")
}

// fill makes a file that takes all the room of its disk.
func fill(t *testing.T, name string) {
	t.Helper()
	f, err := os.Create(name)
	must(t, err)
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err = f.Write(make([]byte, size)); err != nil {
			if size /= 2; !errors.Is(err, syscall.ENOSPC) {
				t.Fatal(err)
			}
		}
	}
}
