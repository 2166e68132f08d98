//go:build crashtest

package crash

import (
	"context"
	"fmt"

	"belay/internal/app"
	"belay/internal/config"
)

// settingScenarios are about the user's own settings.
var settingScenarios = []scenario{{
	name: "setting",
	work: func(w *world, _ *app.App) {
		value := "17"
		_, problems, err := config.Edit(context.Background(), w.options(), "turn.max_turns", &value)
		w.try(err)
		if len(problems) > 0 {
			w.try(fmt.Errorf("the setting is refused: %v", problems))
		}
		w.acknowledged("the setting", func(w *world, _ *app.App) error {
			cfg, err := config.Load(w.options())
			if err != nil {
				return err
			}
			if cfg.Turn.MaxTurns != 17 {
				return fmt.Errorf("turn.max_turns is %d", cfg.Turn.MaxTurns)
			}
			return nil
		})
	},
}}
