package config

import (
	"errors"
	"math"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"belay/internal/lazyregexp"
)

// address checks host:port.
func address(s string) error {
	_, port, err := net.SplitHostPort(s)
	if err != nil {
		return errors.New("is not host:port")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return errors.New("does not end in a port number from 0 to 65535")
	}
	return nil
}

var hostPattern = lazyregexp.New(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$`)

// providerNames are the names of those that there are.
var providerNames = []string{"scripted", "anthropic", "openai"}

// Providers are the names of all providers that there are. The list is the caller's.
func Providers() []string { return slices.Clone(providerNames) }

func providerName(s string) (string, error) {
	if s = strings.ToLower(s); !slices.Contains(providerNames, s) {
		return "", errors.New("holds " + strconv.Quote(s) + ", which is none of " + strings.Join(providerNames, ", "))
	}
	return s, nil
}

// host checks a host name or address, with or without a port, and lower-cases it.
func host(s string) (string, error) {
	s = strings.ToLower(s)
	name := s
	if h, port, err := net.SplitHostPort(s); err == nil {
		if address(net.JoinHostPort(h, port)) != nil {
			return "", errors.New("holds " + strconv.Quote(s) + ", whose port is no number")
		}
		name = h
	}
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err != nil && (len(name) > 253 || !hostPattern.MatchString(name)) {
		return "", errors.New("holds " + strconv.Quote(s) + ", which is no host name")
	}
	return s, nil
}

// folderPath checks a path that says by itself where it leads.
func folderPath(s string) (string, error) {
	if err := oneLine(s); err != nil {
		return "", err
	}
	if !filepath.IsAbs(s) {
		return "", errors.New("holds " + strconv.Quote(s) + ", which is no absolute path")
	}
	return filepath.Clean(s), nil
}

// baseURL checks the form of a URL; whether its host may be used is the
// provider's decision.
func baseURL(s string) error {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return errors.New("is not an http or https URL")
	case u.User != nil:
		return errors.New("must not hold a user name or password")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("must not have a query or fragment")
	}
	return nil
}

// proxyURL checks a proxy: a base URL that names only where it listens.
func proxyURL(s string) error {
	if err := baseURL(s); err != nil {
		return err
	}
	if u, err := url.Parse(s); err == nil && strings.Trim(u.Path, "/") != "" {
		return errors.New("must not have a path")
	}
	return nil
}

var headerWordPattern = lazyregexp.New(`^[0-9A-Za-z._-]{1,64}$`)

// headerWord checks the value of an HTTP header that is one word.
func headerWord(s string) error {
	if !headerWordPattern.MatchString(s) {
		return errors.New("is not a word of letters, digits, dots and hyphens")
	}
	return nil
}

var effortPattern = lazyregexp.New(`^[a-z]{1,16}$`)

// effortWord checks a word for how hard models think. Which words there are is the
// service's to say.
func effortWord(s string) error {
	if s != "" && !effortPattern.MatchString(s) {
		return errors.New("is not a word such as low, medium or high")
	}
	return nil
}

var modelPattern = lazyregexp.New(`^[0-9A-Za-z][0-9A-Za-z._:/@-]{0,127}$`)

// modelName checks the name of a model in a list.
func modelName(s string) (string, error) {
	if !modelPattern.MatchString(s) {
		return "", errors.New("holds " + strconv.Quote(s) + ", which is no name of a model such as llava")
	}
	return strings.ToLower(s), nil
}

var extensionPattern = lazyregexp.New(`^\.[a-z0-9]{1,16}$`)

func extension(s string) (string, error) {
	s = strings.ToLower(s)
	if !extensionPattern.MatchString(s) {
		return "", errors.New("holds " + strconv.Quote(s) + ", which is no extension such as .png")
	}
	return s, nil
}

// milliseconds turns a bare number into a duration.
func milliseconds(s string) (string, error) {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(n) || n < 0 || n > 1e12 {
		return "", errors.New("is not a number of milliseconds")
	}
	return time.Duration(n * float64(time.Millisecond)).String(), nil
}

// strictlyTrue accepts one spelling and denies every other.
func strictlyTrue(s string) (string, error) { return strconv.FormatBool(s == "true"), nil }

// crossChecks are about more than one setting.
func (b *builder) crossChecks(c *Config) {
	if bash := &c.Bash; len(bash.LocalPorts) > 0 && !bash.OwnNetwork() {
		b.warnings = append(b.warnings, "bash.local_ports opens nothing: commands have no network of their own with bash.network ports or open, nor without bash.confine")
	}
	known := strings.Split(b.byName["attachments.extensions"].def, ", ")
	for _, ext := range c.Attachments.Extensions {
		if !slices.Contains(known, strings.ToLower(ext)) {
			b.warnings = append(b.warnings, "attachments.extensions: belay does not know files of "+ext+", and refuses them")
		}
	}
	for _, k := range []*key{b.byName["state_dir"], b.byName["cache_dir"]} {
		if k.value.String() == "" {
			b.problem(k.origin, k.name, "there is no home folder to put it in", "set HOME or "+k.env())
		}
	}
}

// OwnNetwork reports whether commands are to have a network of their own.
func (b *Bash) OwnNetwork() bool { return b.Confine && (b.Network == "none" || b.Network == "ask") }

// Loopback reports whether Addr can be reached only from this machine.
func (c *Config) Loopback() bool {
	name, _, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return false
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Unmap().IsLoopback()
}

// ConfineAttachments reports whether paths in turns must lie in the project: the
// value of attachments.roots with auto resolved by Addr and by Server.ProjectRoots.
func (c *Config) ConfineAttachments() bool {
	return c.Attachments.Roots == RootsProject || c.Attachments.Roots == RootsAuto && (!c.Loopback() || len(c.Server.ProjectRoots) > 0)
}
