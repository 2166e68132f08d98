package supervisor

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"
)

// enterSandbox applies the plan to the calling thread, which must be locked: what it
// starts from then on inherits all of it, and none of it can be taken back.
func (p *Plan) enterSandbox() error {
	if err := p.limit(); err != nil {
		return &problem{"limit what the command uses", err}
	}
	if err := prctl(prSetNoNewPrivs, 1); err != nil {
		return &problem{"keep the command from gaining privileges", err}
	}
	if p.Landlock != nil {
		if err := p.Landlock.enter(); err != nil {
			return &problem{"confine the command by Landlock", err}
		}
	}
	if err := dropCapabilities(); err != nil {
		return &problem{"take the command's capabilities", err}
	}
	if len(p.Filter) > 0 {
		prog := syscall.SockFprog{Len: uint16(len(p.Filter)), Filter: &p.Filter[0]}
		_, _, e := syscall.RawSyscall(syscall.SYS_PRCTL, prSetSeccomp, seccompFilter, uintptr(unsafe.Pointer(&prog)))
		if e != 0 {
			return &problem{"filter the command's system calls", e}
		}
	}
	return nil
}

// limit sets the limits of the command's processes. They are the supervisor's own,
// too, which starts no others.
func (p *Plan) limit() error {
	for _, l := range p.Limits {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(int(l.Resource), &now); err != nil {
			return err
		}
		most := min(l.Most, now.Max)
		if err := syscall.Setrlimit(int(l.Resource), &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("limit %d: %w", l.Resource, err)
		}
	}
	return nil
}

// dropCapabilities takes all capabilities from the calling thread and everything
// that it starts, also when the user is root.
func dropCapabilities() error {
	for c := uintptr(0); c <= lastCapability; c++ {
		err := prctl(syscall.PR_CAPBSET_DROP, c)
		// A user without capabilities cannot drop what it does not have; a kernel
		// may know fewer than we do.
		if err != nil && !errors.Is(err, syscall.EPERM) && !errors.Is(err, syscall.EINVAL) {
			return err
		}
	}
	if err := prctl(prCapAmbient, capAmbientClearAll); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	header := struct {
		version uint32
		pid     int32
	}{version: capabilityVersion}
	var none [2]struct{ effective, permitted, inheritable uint32 }
	_, _, e := syscall.RawSyscall(syscall.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none)), 0)
	return errnoErr(e)
}

// enter confines the calling thread.
func (r *Ruleset) enter() error {
	attr := struct{ files, ports, scopes uint64 }{r.Files, r.Ports, r.Scopes}
	fd, _, e := syscall.Syscall(sysLandlockCreate, uintptr(unsafe.Pointer(&attr)), uintptr(min(r.Size, uint64(unsafe.Sizeof(attr)))), 0)
	if e != 0 {
		return fmt.Errorf("make a ruleset: %w", e)
	}
	defer func() { _ = syscall.Close(int(fd)) }()
	for _, rule := range r.PathRules {
		if err := r.allow(int(fd), rule); err != nil {
			return err
		}
	}
	for _, rule := range r.PortRules {
		port := struct{ rights, port uint64 }{rule.Rights, rule.Port}
		_, _, e := syscall.Syscall6(sysLandlockAddRule, fd, landlockPortRule, uintptr(unsafe.Pointer(&port)), 0, 0, 0)
		if e != 0 {
			return fmt.Errorf("grant port %d: %w", rule.Port, e)
		}
	}
	if _, _, e := syscall.Syscall(sysLandlockRestrictSelf, fd, 0, 0); e != 0 {
		return fmt.Errorf("enter the ruleset: %w", e)
	}
	return nil
}

// allow grants rights beneath a path. One that is not there needs no rule.
func (r *Ruleset) allow(ruleset int, rule PathRule) error {
	fd, err := syscall.Open(rule.Path, openPath|syscall.O_CLOEXEC, 0)
	if errors.Is(err, syscall.ENOENT) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", rule.Path, err)
	}
	defer func() { _ = syscall.Close(fd) }()
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil {
		return fmt.Errorf("look at %s: %w", rule.Path, err)
	}
	rights := rule.Rights
	if stat.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		rights &= r.FileRights
	}
	// The kernel's structure has no gap after the descriptor; it does not read
	// what Go puts there.
	beneath := struct {
		rights uint64
		fd     int32
	}{rights, int32(fd)}
	_, _, e := syscall.Syscall6(sysLandlockAddRule, uintptr(ruleset), landlockPathRule, uintptr(unsafe.Pointer(&beneath)), 0, 0, 0)
	if e != 0 {
		return fmt.Errorf("grant %s: %w", rule.Path, e)
	}
	return nil
}
