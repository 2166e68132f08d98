package shell

import (
	"fmt"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// roles are what the test program is when a test starts it as another.
var roles = map[string]func(args []string) int{"victim": victim, "probe": probe}

// victim stands for the server: it holds a secret, listens, and waits for its
// input to end. Its arguments are the path of a socket and a secret that anybody
// may see.
func victim(args []string) int {
	if err := Harden(); err != nil {
		return 1
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 1
	}
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return 1
	}
	for _, address := range []string{args[0], "@" + args[0]} {
		l, err := net.Listen("unix", address)
		if err != nil {
			return 1
		}
		go serve(l)
	}
	go serve(tcp)
	signal.Ignore(syscall.SIGUSR1)
	fmt.Println(tcp.Addr().(*net.TCPAddr).Port, udp.LocalAddr().(*net.UDPAddr).Port)
	_, _ = os.Stdin.Read(make([]byte, 1))
	return 0
}

func serve(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		_ = c.Close()
	}
}

// probe tries one thing that a shell cannot say and is done with 0 when it
// worked.
func probe(args []string) int {
	try, ok := probes[args[0]]
	if !ok {
		return 2
	}
	n, _ := strconv.Atoi(args[1])
	if err := try(n, args[1]); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(escaped)
	return 0
}

// linger holds the lock of a file for a minute, unless it is ended, and says so in
// the file.
func linger(_ int, path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	if _, err := f.WriteString("held"); err != nil {
		return err
	}
	time.Sleep(time.Minute)
	return f.Close()
}

// listenAnywhere listens on a port that the system chooses, writes it to a file, and
// returns when somebody has come.
func listenAnywhere(_ int, path string) error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	if err := unix.Listen(s, 1); err != nil {
		return err
	}
	name, err := unix.Getsockname(s)
	if err != nil {
		return err
	}
	port := name.(*unix.SockaddrInet4).Port
	if err := os.WriteFile(path+".new", []byte(strconv.Itoa(port)), 0o600); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	_, _, err = unix.Accept(s)
	return err
}

// escaped is what an attempt says that got through.
const escaped = "ESCAPED"

var probes = map[string]func(n int, text string) error{
	"fastopen": func(port int, _ string) error {
		s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(s, []byte("x"), unix.MSG_FASTOPEN, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
	},
	"mptcp": func(port int, _ string) error {
		s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP)
		if err != nil {
			return err
		}
		return unix.Connect(s, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
	},
	"unix": func(_ int, path string) error {
		_, err := net.Dial("unix", path)
		return err
	},
	"nothing":  func(int, string) error { return nil },
	"listen":   listenAnywhere,
	"linger":   linger,
	"ptrace":   func(pid int, _ string) error { return unix.PtraceAttach(pid) },
	"truncate": func(_ int, path string) error { return unix.Truncate(path, 0) },
	"mount":    func(_ int, path string) error { return unix.Mount("x", path, "tmpfs", 0, "") },
	"unshare":  func(int, string) error { return unix.Unshare(unix.CLONE_NEWNS) },
	"uring": func(int, string) error {
		var params [120]byte
		_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
		if errno != 0 {
			return errno
		}
		return nil
	},
}
