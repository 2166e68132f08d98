package settings

import (
	"io"
	"net"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// nobody is a user who owns nothing.
const nobody = 65534

// otherUser sends a request over a connection that belongs to another user of the
// machine, and returns the answer. A socket is of the user who made it, which is that
// of the thread.
func (s *server) otherUser(request string) string {
	s.t.Helper()
	if os.Geteuid() != 0 {
		s.t.Skip("skipped: only root can make a socket of another user")
	}
	address := strings.TrimPrefix(s.url, "http://")
	answer := make(chan string, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
		_, _ = unix.SetfsuidRetUid(nobody)
		conn, err := net.Dial("tcp", address)
		if err != nil {
			answer <- err.Error()
			return
		}
		_, err = io.WriteString(conn, request)
		must(s.t, err)
		text, err := io.ReadAll(conn)
		must(s.t, err)
		answer <- string(text)
		must(s.t, conn.Close())
	}()
	return <-answer
}
