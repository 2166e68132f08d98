package app

import (
	"net/url"
	"strings"

	"belay/internal/model"
	"belay/internal/model/anthropic"
	"belay/internal/model/openai"
)

// ModelOfAnother is the provider that a model belongs to where the configured one
// certainly does not have it, else "". A name that nothing is known of may be newer
// than this program, and a server of one's own may call its models as it likes.
func (a *App) ModelOfAnother(name string) string {
	cfg := a.Config
	if !model.Listed(name) {
		return ""
	}
	if _, ours := cfg.Models[strings.ToLower(strings.TrimSpace(name))]; ours {
		return ""
	}
	owner := openai.Name
	if strings.HasPrefix(strings.ToLower(strings.TrimSpace(name)), "claude-") {
		owner = anthropic.Name
	}
	switch {
	case cfg.Provider == anthropic.Name && owner != cfg.Provider && sameHost(cfg.Anthropic.BaseURL, anthropic.DefaultBaseURL):
		return owner
	case cfg.Provider == openai.Name && owner != cfg.Provider && openai.Own(cfg.OpenAI.BaseURL):
		return owner
	}
	return ""
}

func sameHost(a, b string) bool {
	u, err := url.Parse(a)
	v, err2 := url.Parse(b)
	return err == nil && err2 == nil && strings.EqualFold(u.Host, v.Host)
}
