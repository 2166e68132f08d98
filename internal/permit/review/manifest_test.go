package review_test

import (
	"testing"

	"belay/internal/permit/review"
)

func TestPackageJSON(t *testing.T) {
	t.Parallel()
	for about, test := range map[string]struct {
		before, after string
		want          review.Risk
	}{
		"a script of an installation":      {`{"scripts":{"test":"a"}}`, `{"scripts":{"test":"a","postinstall":"b"}}`, review.Automatic},
		"another one of its scripts":       {`{"scripts":{"prepare":"a"}}`, `{"scripts":{"prepare":"b"}}`, review.Automatic},
		"one in a new file":                {``, `{"name":"a","scripts":{"install":"b"}}`, review.Automatic},
		"one, and nothing to compare with": {`{`, `{"scripts":{"preinstall":"b"}}`, review.Automatic},
		"one that was there":               {`{"version":"1","scripts":{"prepare":"a"}}`, `{"version":"2", "scripts": {"prepare": "a"}}`, review.Ordinary},
		"one that is gone":                 {`{"scripts":{"prepare":"a"}}`, `{"scripts":{}}`, review.OnRequest},
		"a name that is escaped":           {`{}`, `{"scripts":{"post\u0069nstall":"b"}}`, review.Automatic},
		"a name that is there twice":       {`{}`, `{"scripts":{"postinstall":"b"},"scripts":{}}`, review.Automatic},
		"a name that is a little other":    {`{}`, `{"scripts":{"postinstalled":"b"}}`, review.OnRequest},
		"one that is not in scripts":       {`{}`, `{"description":"b","keywords":["postinstall"]}`, review.Ordinary},
		"scripts that are none":            {`{}`, `{"scripts":["postinstall"]}`, review.Automatic},
		"another script":                   {`{"scripts":{"test":"a"}}`, `{"scripts":{"test":"b"}}`, review.OnRequest},
		"a dependency":                     {`{}`, `{"dependencies":{"a":"1"}}`, review.OnRequest},
		"a dependency that is gone":        {`{"devDependencies":{"a":"1"}}`, `{}`, review.OnRequest},
		"a key that is not known":          {`{}`, `{"x":1}`, review.OnRequest},
		"a version of the package manager": {`{}`, `{"packageManager":"yarn@4.1.0"}`, review.OnRequest},
		"an address of it":                 {`{}`, `{"packageManager":"yarn@https:\/\/a.example\/y.js"}`, review.Automatic},
		"an escaped address of it":         {`{}`, `{"packageManager":"yarn@https\u003a//a.example/y.js"}`, review.Automatic},
		"an address that was there":        {`{"packageManager":"y@https://a.example/"}`, `{"name":"a","packageManager":"y@https://a.example/"}`, review.Ordinary},
		"a description":                    {`{"name":"a"}`, `{"name":"b","version":"2","license":"MIT"}`, review.Ordinary},
		"the order and the spaces":         {`{"name":"a","main":"b"}`, "{\n  \"main\": \"b\",\n  \"name\": \"a\"\n}\n", review.Ordinary},
		"no JSON":                          {`{}`, `{"name":`, review.Automatic},
		"no object":                        {`{}`, `[]`, review.Automatic},
		"nothing":                          {`{}`, ``, review.Automatic},
	} {
		e := review.Entry{Path: "web/Package.json", Before: file(test.before), After: file(test.after)}
		if test.before == "" {
			e.Before = review.Version{}
		}
		if got := riskOf(t, e); got != test.want {
			t.Errorf("%s: %s, want %s", about, got, test.want)
		}
	}
	for about, e := range map[string]review.Entry{
		"too large": {Path: "package.json", Before: file("{}"), After: unknown},
		"a link":    {Path: "package.json", Before: file("{}"), After: link},
	} {
		if got := riskOf(t, e); got != review.Automatic {
			t.Errorf("%s: %s", about, got)
		}
	}
	too := review.Entry{Path: "package.json", Before: unknown, After: file(`{"scripts":{"install":"a"}}`)}
	if got := riskOf(t, too); got != review.Automatic {
		t.Errorf("compared with what is too large: %s", got)
	}
}

func TestNeedsContent(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"package.json": true, "a/PACKAGE.JSON": true, ".git/config": true, ".git/modules/a/config.worktree": true, "rust-toolchain": true,
		"a/rust-toolchain.toml": true, "main.go": false, "package-lock.json": false, "": false, ".": false, "config.go": false,
	} {
		if got := review.NeedsContent(path); got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
}
