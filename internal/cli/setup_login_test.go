package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"belay/internal/openrouter"
	"belay/internal/openrouter/openroutertest"
)

// mainAt is [Main] for a service at another address: belay-at ADDRESS WAIT ARGUMENTS...
func mainAt(args []string) int {
	heard, ctx, stop := listen()
	defer stop()
	wait, err := time.ParseDuration(args[2])
	if err != nil {
		panic(err)
	}
	c := newConsole(os.Stdin, os.Stdout, os.Stderr, os.Environ())
	c.signals, c.openRouter = heard, openrouter.Options{Address: args[1], Wait: wait}
	return c.run(ctx, args[3:])
}

// loginEnv is the environment of a person with a home of their own.
func loginEnv(home string, env ...string) []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TERM=xterm", "SHELL=/bin/bash", "GORACE=atexit_sleep_ms=0",
		"USERPROFILE=" + home, "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"),
		"XDG_STATE_HOME=" + home + "/state", "XDG_CACHE_HOME=" + home + "/cache", "XDG_CONFIG_HOME=" + home + "/config",
	}, env...)
}

// setUpAt runs the set-up without a terminal. A person opens the address that it prints.
func setUpAt(t *testing.T, service *openroutertest.Service, wait, home string, env []string, args ...string) (code int, out, errs string) {
	t.Helper()
	program, err := exec.LookPath("belay-at")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, append([]string{service.URL, wait, "setup"}, args...)...)
	cmd.Dir, cmd.Env = t.TempDir(), loginEnv(home, env...)
	var stdout, said bytes.Buffer
	cmd.Stdout = &stdout
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(io.TeeReader(stderr, &said))
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), service.URL+"/auth?") && wait == "10m" {
			visit(t, lines.Text())
		}
	}
	if err := lines.Err(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // the exit code says it
	return cmd.ProcessState.ExitCode(), stdout.String(), said.String()
}

// visit is a person with a browser who logs in.
func visit(t *testing.T, address string) {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		t.Error(err)
		return
	}
	body, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil || res.StatusCode != 200 || !strings.Contains(string(body), "terminal") {
		t.Errorf("the browser shows %d %s, %v", res.StatusCode, body, err)
	}
}

// keepsNoSecret checks that no file of a home holds the key, a code or a verifier.
func keepsNoSecret(t *testing.T, service *openroutertest.Service, home string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		for _, secret := range append(service.Secrets(), openroutertest.Key) {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s holds %s", path, secret)
			}
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files, %v", files, err)
	}
}

// For programs, the key is a field of the answer.
func TestLoginForPrograms(t *testing.T) {
	t.Parallel()
	service, home := openroutertest.New(t), t.TempDir()
	code, out, errs := setUpAt(t, service, "10m", home, nil, "--login", "--model", "some/model", "--json")
	var done setupDone
	if err := json.Unmarshal([]byte(out), &done); err != nil || code != ExitDone || done.Key != openroutertest.Key || !done.Tested || done.KeyVariable != "OPENAI_API_KEY" {
		t.Fatalf("%d %v\n%s\n%s", code, err, out, errs)
	}
	keepsNoSecret(t, service, home)
	host := strings.TrimPrefix(service.URL, "http://")
	for range 2 { // a second login adds nothing
		data, err := os.ReadFile(done.File)
		for _, want := range []string{"provider: openai", "model: some/model", "base_url: " + service.URL + "/api/v1", host} {
			if err != nil || !strings.Contains(string(data), want) {
				t.Errorf("%q is not in the settings, %v:\n%s", want, err, data)
			}
		}
		if n := strings.Count(string(data), host); n != 2 {
			t.Errorf("the host is there %d times:\n%s", n, data)
		}
		// The model is that of the settings. Another key in the environment does not matter.
		code, out, errs = setUpAt(t, service, "10m", home, []string{"OPENAI_API_KEY=sk-old-and-not-real"}, "--login")
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if code != ExitDone || len(lines) != 2 || lines[0] != "export OPENAI_API_KEY='"+openroutertest.Key+"'" {
			t.Errorf("%d\n%s\n%s", code, out, errs)
		}
		if strings.Contains(errs, openroutertest.Key) || !strings.Contains(errs, "whoever has the key can spend the credit") || !strings.Contains(errs, openrouter.KeysPage) {
			t.Errorf("it says\n%s", errs)
		}
	}
}

// A login that fails says what to do, writes nothing, and tells no secret.
func TestLoginFails(t *testing.T) {
	t.Parallel()
	answers := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	refuses := `{"error":{"code":%d,"message":"no, ` + openroutertest.Key + `"}}`
	for name, tt := range map[string]struct {
		exchange, models http.HandlerFunc
		wait             string
		args             []string
		code             int
		says             string
	}{
		"no callback":   {wait: "10ms", code: ExitTimedOut, says: "(?s)did not come back.*hint: run belay setup --login again"},
		"refused code":  {exchange: answers(403, "{}"), code: ExitFailed, says: "(?s)does not accept the code.*hint: run belay setup --login again"},
		"fault":         {exchange: answers(500, "<html>"), code: ExitFailed, says: "(?s)fault of its own.*hint: run belay setup --login again later"},
		"garbage":       {exchange: answers(200, "<html>"), code: ExitFailed, says: "no key that belay understands"},
		"no credit":     {models: answers(402, refuses), code: ExitFailed, says: "(?s)key of this login is not used.*settings/keys.*hint: the account has no credit.*settings/credits"},
		"no such model": {models: answers(400, refuses), code: ExitFailed, says: "(?s)key of this login is not used.*hint: run belay setup --login again with a model"},
		"refused key":   {models: answers(401, refuses), code: ExitFailed, says: "hint: OpenRouter does not accept its new key"},
		"no model":      {args: []string{"--login"}, code: ExitUsage, says: "hint: name one with --model, such as"},
		"a wrong model": {args: []string{"--login", "--model", "gpt"}, code: ExitUsage, says: "form VENDOR/MODEL"},
		"an address":    {args: []string{"--login", "--base-url", "http://127.0.0.1:9/v1"}, code: ExitUsage, says: "no --base-url"},
		"a provider":    {args: []string{"--login", "--provider", "anthropic"}, code: ExitUsage, says: "no other --provider"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, home := openroutertest.New(t), t.TempDir()
			service.Exchange, service.Models = tt.exchange, tt.models
			wait, args := "10m", []string{"--login", "--model", "some/model"}
			if tt.wait != "" {
				wait = tt.wait
			}
			if tt.args != nil {
				args = tt.args
			}
			code, out, errs := setUpAt(t, service, wait, home, nil, args...)
			if code != tt.code || out != "" || !regexp.MustCompile(tt.says).MatchString(errs) {
				t.Errorf("exit code %d, stdout %q, stderr\n%s", code, out, errs)
			}
			if _, err := os.Stat(filepath.Join(home, "config/belay/config.yaml")); err == nil {
				t.Error("settings were written")
			}
			for _, secret := range append(service.Secrets(), openroutertest.Key) {
				if strings.Contains(errs, secret) {
					t.Errorf("it tells %s:\n%s", secret, errs)
				}
			}
		})
	}
}

// A variable that allows other hosts wins over the file, and that is said.
func TestLoginBesideAVariable(t *testing.T) {
	t.Parallel()
	service, home := openroutertest.New(t), t.TempDir()
	code, _, errs := setUpAt(t, service, "10m", home, []string{"BELAY_NETWORK_ALLOWED_HOSTS=gateway.example", "SHELL=/usr/bin/fish"}, "--login", "--model", "some/model", "--no-test")
	if code != ExitDone || !strings.Contains(errs, "BELAY_NETWORK_ALLOWED_HOSTS sets network.allowed_hosts without 127.0.0.1") {
		t.Errorf("%d\n%s", code, errs)
	}
}

func TestBrowserCommand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		system, variable, want string
	}{
		{"linux", "", ""}, {"linux", "DISPLAY", "xdg-open"}, {"linux", "WAYLAND_DISPLAY", "xdg-open"}, {"freebsd", "DISPLAY", "xdg-open"},
		{"linux", "SSH_CONNECTION", ""}, {"darwin", "", "open"}, {"darwin", "SSH_CONNECTION", ""},
		{"windows", "", "rundll32 url.dll,FileProtocolHandler"}, {"windows", "SSH_CONNECTION", ""},
	} {
		if got := strings.Join(browserCommand(tt.system, map[string]string{tt.variable: "x"}), " "); got != tt.want {
			t.Errorf("%s with %s: %q, want %q", tt.system, tt.variable, got, tt.want)
		}
	}
}
