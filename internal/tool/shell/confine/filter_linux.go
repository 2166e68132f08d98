//go:build linux && (amd64 || arm64)

package confine

import (
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// hasFilter says that the filter knows this processor's system calls.
const hasFilter = true

// deniedCalls are of no use to a command and of much to an escape: tracing, what
// is mounted where, the kernel's keyrings and programs, and interfaces through
// which other calls can be made unseen.
var deniedCalls = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_SETNS,
	unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_MOUNT_SETATTR,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_QUOTACTL, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_REBOOT, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME,
}

const newNamespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// Where the filter finds what is called: the fields of the kernel's
// seccomp_data. Of arguments it looks at the lower half; all that it compares
// are ints.
const (
	callNumber = 0
	callArch   = 4
	callArgs   = 16
)

func arg(n uint32) uint32 { return callArgs + 8*n }

// metadataCalls change permissions, owners and attributes of files. The numbers of
// the last are those of all processors.
var metadataCalls = append([]uint32{
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT,
	unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR,
	452 /* fchmodat2 */, 463 /* setxattrat */, 466 /* removexattrat */, 469, /* file_setattr */
}, oldMetadataCalls...)

// filter is the system call filter in the kernel's byte code. A call that no part
// of it refuses is allowed; denied are calls to refuse beside the usual ones.
func (n network) filter(denied ...uint32) []syscall.SockFilter {
	var b filterBuilder
	b.load(callArch)
	b.unless(unix.BPF_JEQ, thisArch, refuse(unix.EPERM)) // another architecture counts its calls otherwise
	b.load(callNumber)
	b.when(unix.BPF_JGE, foreignCalls, refuse(unix.ENOSYS))
	for _, call := range slices.Concat(deniedCalls, denied) {
		b.when(unix.BPF_JEQ, call, refuse(unix.EPERM))
	}
	// The flags of clone3 are out of a filter's sight. Libraries fall back to
	// clone.
	b.when(unix.BPF_JEQ, unix.SYS_CLONE3, refuse(unix.ENOSYS))
	b.call(unix.SYS_CLONE, func(b *filterBuilder) {
		b.load(arg(0))
		b.when(unix.BPF_JSET, newNamespaces, refuse(unix.EPERM))
	})
	b.call(unix.SYS_UNSHARE, func(b *filterBuilder) {
		b.load(arg(0))
		b.when(unix.BPF_JSET, newNamespaces, refuse(unix.EPERM))
	})
	b.call(unix.SYS_SOCKET, n.sockets)
	if n.limitTCP {
		// Connecting by the first data does not pass the place where Landlock
		// checks ports.
		for call, flags := range fastOpenCalls {
			b.call(call, func(b *filterBuilder) {
				b.load(arg(flags))
				b.when(unix.BPF_JSET, unix.MSG_FASTOPEN, refuse(unix.EOPNOTSUPP))
			})
		}
	}
	b.verdict(unix.SECCOMP_RET_ALLOW)
	return b.code
}

var fastOpenCalls = map[uint32]uint32{unix.SYS_SENDTO: 3, unix.SYS_SENDMSG: 2, unix.SYS_SENDMMSG: 3}

// sockets is the part of the filter that looks at new sockets.
func (n network) sockets(b *filterBuilder) {
	families := []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}
	if n.none {
		families = nil
	}
	if !n.noUnix {
		families = append(families, unix.AF_UNIX)
	}
	b.load(arg(0))
	b.unlessAny(families, refuse(unix.EACCES))
	if n.limitTCP && !slices.Equal(families, []uint32{unix.AF_UNIX}) {
		// Landlock knows the ports of TCP alone: its relatives must not stand in
		// for it.
		b.load(arg(2))
		b.unlessAny([]uint32{0, unix.IPPROTO_TCP, unix.IPPROTO_UDP, unix.IPPROTO_ICMP, unix.IPPROTO_ICMPV6, unix.NETLINK_GENERIC}, refuse(unix.EPROTONOSUPPORT))
	}
}

func refuse(errno unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(errno) }

// filterBuilder writes byte code in which every jump is short.
type filterBuilder struct{ code []syscall.SockFilter }

// load makes a word of the call the one that is compared.
func (b *filterBuilder) load(offset uint32) {
	b.code = append(b.code, syscall.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset})
}

func (b *filterBuilder) verdict(v uint32) {
	b.code = append(b.code, syscall.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: v})
}

// when ends with the verdict where the comparison holds, unless where it does
// not.
func (b *filterBuilder) when(compare uint16, value, verdict uint32) {
	b.code = append(b.code, syscall.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | compare, Jf: 1, K: value})
	b.verdict(verdict)
}

func (b *filterBuilder) unless(compare uint16, value, verdict uint32) {
	b.code = append(b.code, syscall.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | compare, Jt: 1, K: value})
	b.verdict(verdict)
}

// unlessAny ends with the verdict where the word is none of the values.
func (b *filterBuilder) unlessAny(values []uint32, verdict uint32) {
	for i, v := range values {
		b.code = append(b.code, syscall.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | unix.BPF_JEQ, Jt: uint8(len(values) - i), K: v})
	}
	b.verdict(verdict)
}

// call puts in a part that only one call passes through.
func (b *filterBuilder) call(number uint32, part func(*filterBuilder)) {
	var inner filterBuilder
	part(&inner)
	inner.load(callNumber) // for what follows
	b.code = append(b.code, syscall.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | unix.BPF_JEQ, Jf: uint8(len(inner.code)), K: number})
	b.code = append(b.code, inner.code...)
}
