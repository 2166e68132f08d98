package settings

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"time"
)

// web is the address of a page on an address of this machine that is not loopback,
// which fetch never reaches. A page whose name is slow comes after two seconds.
func (b *bench) web(name, content string) string {
	b.t.Helper()
	ip := b.address()
	l, err := net.Listen("tcp", net.JoinHostPort(ip.String(), "0"))
	must(b.t, err)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if name == "slow" {
			select {
			case <-time.After(2 * time.Second):
			case <-r.Context().Done():
				panic(http.ErrAbortHandler) // an answer could still arrive
			}
		}
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, content)
	}))
	must(b.t, srv.Listener.Close())
	srv.Listener = l
	srv.TLS = &tls.Config{Certificates: []tls.Certificate{b.certificate(ip)}, MinVersion: tls.VersionTLS12}
	srv.StartTLS()
	b.t.Cleanup(srv.Close)
	return srv.URL + "/" + name
}

// certificate is one for an address, which belay trusts.
func (b *bench) certificate(ip net.IP) tls.Certificate {
	b.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(b.t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{ip}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	must(b.t, err)
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw})
	b.env = []string{"SSL_CERT_FILE=" + b.file(b.other+"/certificate.pem", string(text))}
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}
}

// address is one of this machine in a network of its own, or else any.
func (b *bench) address() (found net.IP) {
	b.t.Helper()
	all, err := net.InterfaceAddrs()
	must(b.t, err)
	for _, a := range all {
		if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() && (found == nil || n.IP.IsPrivate()) {
			found = n.IP
		}
	}
	if found == nil {
		b.t.Skip("this machine has no address but loopback")
	}
	return found
}
