package settings

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
)

// general are the settings that say where things are and who answers.
var general = map[string]check{
	"addr": {
		set: "127.0.0.1:0", shows: `^a free port`, without: `^port 23529`,
		see: func(b *bench) string {
			cmd := b.command("serve")
			out := &output{}
			cmd.Stdout, cmd.Stderr = out, out
			must(b.t, cmd.Start())
			defer func() { _, _ = cmd.Process.Kill(), cmd.Wait() }()
			// Something else may have the port already; that says as much.
			b.eventually("the server says where it listens", func() bool { return strings.Contains(out.String(), "127.0.0.1:") })
			if strings.Contains(out.String(), "127.0.0.1:23529") {
				return "port 23529"
			}
			return "a free port"
		},
	},
	"project": {
		set: "'{other}'", shows: `^other`, without: `^project`,
		see: func(b *bench) string {
			b.run("turn", "go")
			if strings.Contains(b.under(b.other), "transcript.jsonl") {
				return "other"
			}
			return "project\n" + b.under(b.project+"/.belay/sessions")
		},
	},
	"provider": {
		set: "openai", shows: `^1 requests`, without: `^0 requests`,
		see: func(b *bench) string {
			p := b.provider(0)
			if b.standard {
				delete(b.settings, "provider")
			}
			b.turn("go")
			return p.asked()
		},
	},
	"model": {
		set: "llama3.2", shows: `"model":"llama3.2"`, without: `"model":"gpt-5-mini"`,
		see: func(b *bench) string { p := b.provider(0); b.turn("go"); return p.asked() },
	},
	"default_model": {
		set: "llama3.2", shows: `"model":"llama3.2"`, without: `"model":"gpt-5-mini"`,
		see: func(b *bench) string { p := b.provider(0); b.turn("go"); return p.asked() },
	},
	"effort": {
		set: "low", shows: `^low$`, without: `^the model's own$`,
		see: func(b *bench) string {
			p := b.provider(0)
			b.turn("go")
			if _, after, ok := strings.Cut(p.asked(), `"reasoning_effort":"`); ok {
				word, _, _ := strings.Cut(after, `"`)
				return word
			}
			return "the model's own"
		},
	},
	"instructions": {
		set: "'{other}/root'", shows: `ENGINEER`, without: `WORKING_ITEMS`,
		see: func(b *bench) string {
			must(b.t, os.CopyFS(filepath.Join(b.other, "root"), os.DirFS("../../examples/agent/instructions")))
			return b.run("persona", "list")
		},
	},
	"token_file": {
		set: "'{other}/token'", shows: `^status 401`, without: `^status 200`,
		see: func(b *bench) string {
			b.file(filepath.Join(b.other, "token"), strings.Repeat("token", 10))
			return b.serve().ask("GET", "/api/harness/session/list?projectRoot="+b.project, nil)
		},
	},
	"trust_loopback": {
		set: "true", shows: `^HTTP/1.0 200`, without: `^HTTP/1.0 401`,
		see: func(b *bench) string {
			return b.serve().otherUser("GET /api/harness/session/list?projectRoot=" + b.project + " HTTP/1.0\r\nHost: localhost\r\n\r\n")
		},
	},
	"session_root": {
		set: "'{other}'", shows: `^other`, without: `^project`,
		see: func(b *bench) string {
			b.turn("go")
			if strings.Contains(b.under(b.other), "transcript.jsonl") {
				return "other"
			}
			return "project\n" + b.under(b.project+"/.belay/sessions")
		},
	},
	"state_dir": {
		set: "'{other}/kept'", shows: `kept/sessions/sess_`, without: `^$`,
		see: func(b *bench) string { b.turn("go"); return b.under(b.other) },
	},
	"cache_dir": {
		set: "'{other}/made'", shows: `home/f`, without: `^$`,
		see: func(b *bench) string {
			b.shell("echo x > $HOME/f")
			return b.under(b.other + "/made")
		},
	},
	"network.allowed_hosts": {
		set: "[models.test]", also: settings{"provider": "openai", "openai.base_url": "https://models.test/v1"}, shows: `"type":"turn:error".*"exitCode":1`, without: `network.allowed_hosts`,
		see: func(b *bench) string {
			b.env = []string{"OPENAI_API_KEY=sk-test"}
			b.settings["retry.attempts"] = "1"
			return b.turn("go")
		},
	},
	"network.proxy": {
		set: "", also: settings{"provider": "openai", "openai.base_url": "https://models.test/v1", "network.allowed_hosts": "[models.test]"},
		shows: `^CONNECT models.test:443`, without: `^nothing`,
		see: func(b *bench) string {
			asked := make(chan string, 16)
			proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				select {
				case asked <- r.Method + " " + r.Host:
				default: // it is tried again and again
				}
				w.WriteHeader(http.StatusForbidden)
			}))
			b.t.Cleanup(proxy.Close)
			b.env = []string{"OPENAI_API_KEY=sk-test", "HTTPS_PROXY=" + proxy.URL}
			b.settings["retry.attempts"] = "1"
			if !b.standard {
				b.settings["network.proxy"] = proxy.URL
			}
			b.turn("go")
			select {
			case got := <-asked:
				return got
			default:
				return "nothing is asked"
			}
		},
	},
}
