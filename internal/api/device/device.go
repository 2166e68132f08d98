// Package device keeps which browsers have the operator's authority.
//
// A device is a browser that exchanged a one-time link for a cookie. The cookie holds the
// device's id and a secret. The [Store] keeps neither: it keeps a proof, which only the secret
// and the operator's token give together. So who reads the file gets in nowhere, and all
// devices are gone with the token.
//
// The file devices.json lies in the state folder, which all servers of a user share: what one
// of them adds or removes counts for the others at their next request.
package device

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"

	"belay/internal/lazyregexp"
)

// Device is a browser with the operator's authority.
type Device struct {
	// ID names it, as in dev_c3x9k2m4q7.
	ID string `json:"id"`
	// Label is what its browser says that it is, such as "Firefox on Linux".
	Label   string    `json:"label"`
	Created time.Time `json:"created"`
	// Seen is when it was last used, to about ten minutes.
	Seen    time.Time `json:"seen"`
	Expires time.Time `json:"expires"`
	// Proof shows that a secret is the device's.
	Proof string `json:"proof"`
	// Kept is false where the device ends with this process: its file could not be written.
	Kept bool `json:"-"`
}

const (
	// MaxDevices is how many there are at once; a further one takes the place of the one
	// that was not used for the longest time.
	MaxDevices = 50
	// seenEvery is how much later than on record a device must be used to be recorded anew.
	seenEvery = 10 * time.Minute
	maxLabel  = 80
)

var idPattern = lazyregexp.New(`^dev_[a-z0-9]{10}$`)

// proof shows that a secret is that of a device.
func proof(key, id, secret string) string {
	return sign(key, "belay device\n"+id+"\n"+secret)
}

func sign(key, text string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// The names that browsers and systems give themselves, the more special ones first: most
// browsers also claim to be others.
var (
	browsers = []struct{ sign, name string }{
		{"Edg", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"}, {"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
		{"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	}
	systems = []struct{ sign, name string }{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"CrOS", "ChromeOS"}, {"Windows", "Windows"},
		{"Mac OS X", "macOS"}, {"Linux", "Linux"},
	}
)

// Label is a name for the browser that sends a User-Agent. It has nothing of that text in it
// but for names that are known.
func Label(agent string) string {
	agent = agent[:min(len(agent), 512)]
	browser, system := "", ""
	for _, b := range browsers {
		if strings.Contains(agent, b.sign) {
			browser = b.name
			break
		}
	}
	for _, s := range systems {
		if strings.Contains(agent, s.sign) {
			system = s.name
			break
		}
	}
	switch {
	case browser == "" && system == "":
		return "unknown browser"
	case browser == "":
		return "browser on " + system
	case system == "":
		return browser
	}
	return browser + " on " + system
}
