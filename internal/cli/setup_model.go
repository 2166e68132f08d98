package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"belay/internal/config"
	"belay/internal/model"
	"belay/internal/model/openai"
)

// modelOfOwnServer refuses a new server of one's own without the name of a model: those of the
// configuration are another server's.
func modelOfOwnServer(c *console, cmd *cobra.Command, cfg *config.Config, login bool) error {
	base := cfg.OpenAI.BaseURL
	if login || cfg.Provider != openai.Name || base == openai.DefaultBaseURL {
		return nil
	}
	for _, key := range []string{"model", "openai.model"} { // a file's are another server's
		if origin := valueOf(cfg, key).Origin; strings.HasPrefix(origin, "flag ") || strings.HasPrefix(origin, "env ") {
			return nil
		}
	}
	stays := c.layers(cmd)
	stays.Flags = nil
	before, _ := config.Examine(stays)
	named := valueOf(before, "model").Origin != "default" || valueOf(before, "openai.model").Origin != "default"
	if before.OpenAI.BaseURL == base && named {
		return nil
	}
	return usageHint("add --model NAME, as the server calls it", "the server at %s has models of its own, and none is named", base)
}

// withoutOthersModel leaves out the model of the person's file where that is of another provider
// or server than the chosen one, which does not have it. It returns what to say of that once
// the choice is kept.
func withoutOthersModel(c *console, cmd *cobra.Command, cfg *config.Config, login bool) (_ *config.Config, left []string, err error) {
	stays := c.layers(cmd)
	stays.Flags = nil
	before, _ := config.Examine(stays)
	same := before.Provider == cfg.Provider && before.OpenAI.BaseURL == cfg.OpenAI.BaseURL
	if row := valueOf(cfg, "openai.model"); !login && before.OpenAI.BaseURL != cfg.OpenAI.BaseURL && strings.HasPrefix(row.Origin, config.UserFile(stays)+":") {
		left = append(left, row.Value+" of openai.model is not kept: it was chosen for another server")
		cfg.OpenAI.Model = row.Default
	}
	own := cfg.Model != "" && strings.HasPrefix(valueOf(cfg, "model").Origin, config.UserFile(stays)+":")
	if login || same || !own || before.Provider == model.Scripted {
		return cfg, left, nil
	}
	left = append(left, cfg.Model+" is not kept: it was chosen for another provider or server")
	if err := cmd.Flags().Set("model", ""); err != nil {
		return nil, nil, err
	}
	of := cfg.OpenAI.Model
	if cfg, err = c.load(cmd); err == nil {
		cfg.OpenAI.Model = of
	}
	return cfg, left, err
}
