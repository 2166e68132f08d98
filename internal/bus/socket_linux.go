package bus

import (
	"fmt"
	"os"
	"strconv"
)

// socketAddress is a name of the socket in dir for as long as the folder is open. It
// is short, however long that of the folder is: the system takes no more than 107
// bytes.
func socketAddress(dir string) (folder *os.File, address string, err error) {
	if folder, err = os.Open(dir); err != nil {
		return nil, "", fmt.Errorf("bus: socket: %w", err)
	}
	return folder, "/proc/self/fd/" + strconv.Itoa(int(folder.Fd())) + "/" + socketName, nil
}
