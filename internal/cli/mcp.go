package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"belay/internal/app"
	"belay/internal/quantity"
	"belay/internal/tool/mcp"
)

func newMCP(c *console) *cobra.Command {
	return group("mcp", "Show the MCP servers and the tools that they offer", "  belay mcp list\n  belay mcp show files", newMCPList(c), newMCPShow(c))
}

func newMCPList(c *console) *cobra.Command {
	var part paging
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Connect to the MCP servers and list them",
		Long: `Connect to the MCP servers of the setting mcp.servers and list them, with the number of
tools that each offers. The exit code is 1 if one cannot be reached.`,
		Example: "  belay mcp list\n  belay mcp list --json | jq -r '.servers[].tools[].name'",
		Args:    cobra.NoArgs,
	}
	part.flags(cmd)
	jsonFlag(c, cmd)
	cmd.RunE = appCommand(c, func(ctx context.Context, a *app.App, _ []string) error {
		names, left, err := pageOf(&part, a.MCP.Servers(), func(name string) string { return name })
		if err != nil {
			return err
		}
		if len(names) > 0 {
			c.note("connecting", "to "+quantity.Count(len(names), "MCP server", "MCP servers")+", for at most "+quantity.Duration(mcp.StartTime))
		}
		list := a.MCP.Report(ctx, names...)
		if c.json {
			err = c.writeJSON(struct {
				Servers []mcp.Report `json:"servers"`
				rest
			}{orEmpty(list), left})
			return errors.Join(err, unreached(list))
		}
		defer left.tell(c)
		t := &table{heads: []string{"SERVER", "TOOLS", "PROGRAM OR ADDRESS", "SAYS"}}
		for _, r := range list {
			t.add(r.Name, strconv.Itoa(len(r.Tools)), line(cmp.Or(r.URL, strings.Join(r.Command, " "))), line(cmp.Or(r.Error, r.Server)))
		}
		c.print(t, "no MCP server is configured; docs/mcp.md shows how")
		return unreached(list)
	})
	return cmd
}

func newMCPShow(c *console) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "show SERVER",
		Short:   "Connect to an MCP server and show its tools",
		Example: "  belay mcp show files\n  belay mcp show files --json",
		Args:    cobra.ExactArgs(1),
	}
	jsonFlag(c, cmd)
	cmd.RunE = appCommand(c, func(ctx context.Context, a *app.App, args []string) error {
		list := a.MCP.Report(ctx, args[0])
		if len(list) == 0 {
			next := "belay mcp list shows all"
			if len(a.Config.MCP) == 0 {
				next = "none is configured; name one under mcp.servers, as docs/mcp.md shows"
			}
			return failed(ExitNotFound, next, fmt.Errorf("there is no MCP server %q in mcp.servers", args[0]))
		}
		r := list[0]
		if c.json {
			return errors.Join(c.writeJSON(r), unreachable(r))
		}
		printServer(c, r)
		return unreachable(r)
	})
	return cmd
}

func printServer(c *console, r mcp.Report) {
	took := ""
	if r.Error == "" {
		took = quantity.Duration(time.Duration(r.Took) * time.Millisecond)
	}
	c.fields("server", r.Name, "program", line(strings.Join(r.Command, " ")), "address", r.URL, "says", line(r.Server), "protocol", line(r.Protocol), "started in", took)
	t := &table{heads: []string{"TOOL", "IT SAYS", "DESCRIPTION"}}
	for _, o := range r.Tools {
		says := ""
		if o.ReadOnly {
			says = "only reads"
		}
		t.add(o.Name, says, line(o.Description))
	}
	if r.Error == "" {
		c.write("\n")
		c.print(t, "it offers no tools")
	}
	for _, p := range r.Problems {
		c.warn(line(p))
	}
}

// unreachable is the failure of a command that could not reach a server.
func unreachable(r mcp.Report) error {
	if r.Error == "" {
		return nil
	}
	return failed(ExitFailed, "belay config show says where mcp.servers comes from", errors.New("the MCP server "+r.Name+" cannot be reached: "+line(r.Error)))
}

// unreached is the failure of a command that could not reach all of these servers. The list
// says why.
func unreached(list []mcp.Report) error {
	var names []string
	for _, r := range list {
		if r.Error != "" {
			names = append(names, r.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return failed(ExitFailed, "belay mcp show "+names[0]+" tries it again; belay config show says where mcp.servers comes from",
		fmt.Errorf("%d of %s cannot be reached: %s", len(names), quantity.Count(len(list), "MCP server", "MCP servers"), strings.Join(names, ", ")))
}
