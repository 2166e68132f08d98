package supervisor

import (
	"syscall"
	"unsafe"
)

// What of the kernel's interface package syscall does not have. The numbers are
// the same on all processors.
const (
	sysOpenTree             = 428
	sysMoveMount            = 429
	sysMountSetattr         = 442
	sysLandlockCreate       = 444
	sysLandlockAddRule      = 445
	sysLandlockRestrictSelf = 446

	atFDCWD     = -100
	atNoFollow  = 0x100
	atEmptyPath = 0x1000
	atRecursive = 0x8000
	openPath    = 0x200000 // O_PATH

	openTreeClone   = 0x1
	openTreeCloexec = syscall.O_CLOEXEC
	moveFromEmpty   = 0x04
	moveToEmpty     = 0x40

	mountReadOnly = 0x1
	mountNoSUID   = 0x2
	mountNoDev    = 0x4

	landlockPathRule = 1
	landlockPortRule = 2

	prSetSeccomp        = 22
	prSetChildSubreaper = 36
	prSetNoNewPrivs     = 38
	prCapAmbient        = 47
	capAmbientClearAll  = 4
	seccompFilter       = 2

	lastCapability    = 40
	capabilityVersion = 0x20080522

	waitAny   = 0 // P_ALL
	pollInput = 1
)

// errnoErr is nil for 0.
func errnoErr(e syscall.Errno) error {
	if e == 0 {
		return nil
	}
	return e
}

// prctl sets an option of the calling thread or its process that takes one value.
func prctl(option int, value uintptr) error {
	_, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, uintptr(option), value, 0, 0, 0, 0)
	return errnoErr(e)
}

// attributes is the kernel's mount_attr.
type attributes struct{ set, clear, propagation, userNamespace uint64 }

// setMount restricts what is mounted at path to the attributes.
func setMount(path string, set uint64) error {
	p, err := syscall.BytePtrFromString(path)
	if err != nil {
		return err
	}
	attr := attributes{set: set}
	cwd := atFDCWD
	_, _, e := syscall.Syscall6(sysMountSetattr, uintptr(cwd), uintptr(unsafe.Pointer(p)), 0, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	return errnoErr(e)
}

// openTree makes a copy of the mounts at and below path, which may be a link itself.
// It is mounted nowhere yet.
func openTree(path string) (tree int, err error) {
	p, err := syscall.BytePtrFromString(path)
	if err != nil {
		return -1, err
	}
	cwd := atFDCWD
	fd, _, e := syscall.Syscall(sysOpenTree, uintptr(cwd), uintptr(unsafe.Pointer(p)), openTreeClone|openTreeCloexec|atRecursive|atNoFollow)
	return int(fd), errnoErr(e)
}

// setTree restricts such a copy to the attributes.
func setTree(tree int, set uint64) error {
	attr := attributes{set: set}
	var none byte
	_, _, e := syscall.Syscall6(sysMountSetattr, uintptr(tree), uintptr(unsafe.Pointer(&none)), atEmptyPath|atRecursive, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	return errnoErr(e)
}

// moveMount mounts such a copy on an open folder or file.
func moveMount(tree, on int) error {
	var none byte
	_, _, e := syscall.Syscall6(sysMoveMount, uintptr(tree), uintptr(unsafe.Pointer(&none)), uintptr(on), uintptr(unsafe.Pointer(&none)), moveFromEmpty|moveToEmpty, 0)
	return errnoErr(e)
}

// pollFile is the kernel's pollfd.
type pollFile struct {
	fd              int32
	events, revents int16
}

// poll waits until one of the files has something to read or has come to its end,
// or the time is over. A signal may end it early.
func poll(files []pollFile, nanoseconds int64) error {
	t := syscall.NsecToTimespec(nanoseconds)
	_, _, e := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&files[0])), uintptr(len(files)), uintptr(unsafe.Pointer(&t)), 0, 0, 0)
	if e == syscall.EINTR {
		return nil
	}
	return errnoErr(e)
}
