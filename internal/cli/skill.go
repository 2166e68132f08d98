package cli

import (
	"github.com/spf13/cobra"

	"belay/internal/config"
	"belay/internal/skill"
)

func newSkill(c *console) *cobra.Command {
	return group("skill", "List the skills of agents", "  belay skill list", newSkillList(c))
}

// listedSkill is a skill with whether it is used.
type listedSkill struct {
	skill.Skill
	// Used is false for a skill of the project where the person has one of that name.
	Used bool `json:"used"`
}

func newSkillList(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List your own skills and those of the project",
		Long: `List the skills that agents can use in the project: your own, in the folder skills of
your configuration folder, and those of the project, in .agents/skills. Warnings say why a
folder is no skill.`,
		Example: "  belay skill list\n  belay skill list --json | jq -r '.skills[].name'",
		Args:    cobra.NoArgs,
	}
	setting(cmd, "project", "project", "list the skills of the project in `DIR` (default: the one that encloses the current folder)")
	part := listFlags(c, cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		cfg, err := c.load(cmd)
		if err != nil {
			return err
		}
		root, err := projectRoot(cfg)
		if err != nil {
			return err
		}
		found := skillsOf(cfg, root)
		all := make([]listedSkill, 0, len(found.Skills)+len(found.Hidden))
		for _, s := range found.Skills {
			all = append(all, listedSkill{s, true})
		}
		for _, s := range found.Hidden {
			all = append(all, listedSkill{s, false})
		}
		list, left, err := pageOf(part, all, func(s listedSkill) string { return s.Path })
		if err != nil {
			return err
		}
		if c.json {
			return c.writeJSON(struct {
				Skills   []listedSkill   `json:"skills"`
				Problems []skill.Problem `json:"problems"`
				rest
			}{orEmpty(list), orEmpty(found.Problems), left})
		}
		printSkills(c, list)
		left.tell(c)
		for _, p := range found.Problems {
			c.warn(p.String())
		}
		return nil
	}
	return cmd
}

// skillsOf are the skills of the person and of a project.
func skillsOf(cfg *config.Config, project string) skill.Catalog {
	return skill.Folders{Config: cfg.Paths.ConfigDir, Project: project}.Find()
}

func printSkills(c *console, list []listedSkill) {
	t := &table{heads: []string{"SKILL", "WHOSE", "DESCRIPTION"}}
	for _, s := range list {
		whose := "project"
		switch {
		case s.Own:
			whose = "own"
		case !s.Used:
			whose = "project (unused: you have one of that name)"
		}
		t.add(s.Name, whose, s.Description)
	}
	c.print(t, "no skills; docs/skills.md says how to make one")
}
