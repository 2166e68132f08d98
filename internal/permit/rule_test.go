package permit

import "testing"

// A rule about one host holds in every spelling of it.
func TestRulesOfHosts(t *testing.T) {
	t.Parallel()
	for rule, host := range map[string]string{
		"fetch(Müller.de)": "xn--mller-kva.de", "fetch(x.test.)": "x.test", "fetch(x.test:443)": "x.test", "fetch(x.test:08443)": "x.test:8443",
		"network(2001:0db8:0:0:0:0:0:1)": "2001:db8::1", "network([2001:db8::1]:8080)": "[2001:db8::1]:8080", "network(x.test:080)": "x.test",
		"network(*.test)": "a.test", "network(x.*)": "x.test", "fetch(x.test)": "x.test", "fetch(x.test:80)": "x.test:80",
	} {
		r, err := ParseRule(rule)
		if err != nil || !r.host(host) || r.host("other.test2") {
			t.Errorf("%s holds for %s: %v", rule, host, err)
		}
		if r.String() != rule {
			t.Errorf("%s is shown as %s", rule, r)
		}
	}
}
