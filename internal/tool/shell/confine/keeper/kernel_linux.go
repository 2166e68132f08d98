package keeper

import (
	"syscall"
	"unsafe"
)

// What of the kernel's interface package syscall does not have. The numbers are
// the same on all processors.
const (
	sysMountSetattr         = 442
	sysLandlockCreate       = 444
	sysLandlockAddRule      = 445
	sysLandlockRestrictSelf = 446

	atFDCWD     = -100
	atRecursive = 0x8000
	openPath    = 0x200000 // O_PATH

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

// errno is nil for 0.
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

// setMount restricts what is mounted at path, and with recursive what is mounted
// below it, to the attributes.
func setMount(path string, recursive bool, attributes uint64) error {
	p, err := syscall.BytePtrFromString(path)
	if err != nil {
		return err
	}
	attr := struct{ set, clear, propagation, userNamespace uint64 }{set: attributes}
	flags := uintptr(0)
	if recursive {
		flags = atRecursive
	}
	cwd := atFDCWD
	_, _, e := syscall.Syscall6(sysMountSetattr, uintptr(cwd), uintptr(unsafe.Pointer(p)), flags, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
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
