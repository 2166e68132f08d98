package cli

import (
	"github.com/spf13/cobra"
)

func newCompletion(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish",
		Short: "Print the completion script of a shell",
		Example: `  source <(belay completion bash)
  belay completion zsh > "${fpath[1]}/_belay"
  belay completion fish > ~/.config/fish/completions/belay.fish`,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"bash", "zsh", "fish"},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(c.out, true)
			case "zsh":
				return root.GenZshCompletion(c.out)
			default:
				return root.GenFishCompletion(c.out, true)
			}
		},
	}
}
