package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"

	"belay/internal/netguard"
	"belay/internal/permit"
)

// target is what a request is for.
type target struct{ host, port string }

// targetOf is the host and port of a request, in the one spelling that rules have; as they are
// written where they are neither a name nor an address.
func targetOf(r *http.Request) target {
	port := r.URL.Port()
	if port == "" {
		port = "80"
		if r.Method == http.MethodConnect {
			port = "443"
		}
	}
	t := target{r.URL.Hostname(), port}
	if host, port, err := netguard.ParseHost(t.address()); err == nil {
		t = target{host, port}
	}
	return t
}

func (t target) address() string { return net.JoinHostPort(t.host, t.port) }

// name is what rules and people know the target by: the host, with the port where it is
// not one of the web's.
func (t target) name() string {
	if t.port == "80" || t.port == "443" {
		return t.host
	}
	return t.address()
}

// refusedError is why a host is not reached.
type refusedError struct {
	status int
	why    string
}

func (e *refusedError) Error() string { return e.why }

// admit decides whether a target may be reached, and records that.
func (p *Proxy) admit(ctx context.Context, t target) error {
	if _, _, err := netguard.ParseHost(t.address()); err != nil {
		return &refusedError{http.StatusBadRequest, "it is not a host name or an address"}
	}
	if !p.known(t.name()) {
		return &refusedError{http.StatusForbidden, fmt.Sprintf("the command named more than %d hosts", maxHosts)}
	}
	if err := p.o.Dialer.Check(t.address()); err != nil {
		if p.violates(ctx, t, err) {
			return &refusedError{http.StatusForbidden, err.Error()}
		}
		return err
	}
	asked, cancel := context.WithTimeout(ctx, p.o.Wait)
	defer cancel()
	r, err := p.o.Ask(asked, t.name())
	if err == nil {
		err = p.record(ctx, t.name(), r)
	}
	switch {
	case err != nil:
		return &refusedError{http.StatusBadGateway, "it could not be decided whether it may be"}
	case r.Outcome == permit.Ask:
		return &refusedError{http.StatusGatewayTimeout, "a person is asked and has not answered yet; repeat the command"}
	case r.Outcome != permit.Allow:
		return &refusedError{http.StatusForbidden, r.Reason}
	}
	return nil
}

// known counts the hosts of the command.
func (p *Proxy) known(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, known := p.hosts[name]
	if !known && len(p.hosts) < maxHosts {
		p.hosts[name], known = "", true
	}
	return known
}

// notReached follows a host in the sentence for the model.
const notReached = " was not reached: "

// record puts a ruling on record, once for each host and outcome.
func (p *Proxy) record(ctx context.Context, name string, r permit.Ruling) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hosts[name] == r.Outcome {
		return nil
	}
	if err := p.o.Record(context.WithoutCancel(ctx), name, r); err != nil {
		return err
	}
	p.hosts[name] = r.Outcome
	switch r.Outcome {
	case permit.Allow: // it was asked about before
		p.unreached = slices.DeleteFunc(p.unreached, func(s string) bool { return strings.HasPrefix(s, name+notReached) })
	case permit.Ask:
		p.unreached = append(p.unreached, name+notReached+"a person is asked and has not answered yet. The question stays open: repeat the command later")
	default:
		p.unreached = append(p.unreached, name+notReached+r.Reason)
	}
	return nil
}

// violates reports whether the error is that of an address that is never reached, which
// is recorded.
func (p *Proxy) violates(ctx context.Context, t target, err error) bool {
	var v *netguard.ViolationError
	if !errors.As(err, &v) {
		return false
	}
	// A failed record changes nothing: the host is not reached.
	_ = p.record(ctx, t.name(), permit.Ruling{Outcome: permit.Refuse, Reason: v.Error()})
	return true
}
