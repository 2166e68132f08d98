package cli

import (
	"github.com/spf13/cobra"
)

func newCompletion(c *console) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print the completion script of a shell",
		Long: `Print the completion script of a shell. It completes commands and flags, and the ids of
sessions, runs, questions, kept changes and deliverables, personas, models, modes and
settings.`,
		Example: `  source <(belay completion bash)
  belay completion zsh > "${fpath[1]}/_belay"
  belay completion fish > ~/.config/fish/completions/belay.fish
  belay completion powershell | Out-String | Invoke-Expression`,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch root := cmd.Root(); args[0] {
			case "bash":
				return root.GenBashCompletionV2(c.out, true)
			case "zsh":
				return root.GenZshCompletion(c.out)
			case "fish":
				return root.GenFishCompletion(c.out, true)
			default:
				return root.GenPowerShellCompletionWithDesc(c.out)
			}
		},
	}
}
