package permit

import (
	"strings"
	"testing"
)

func TestCheckRule(t *testing.T) {
	t.Parallel()
	all := []string{"permit.allow", denySetting, askBeforeSetting, outsideSetting}
	for _, text := range []string{
		"bash", "bash(*)", "bash(git push *)", "bash(git push)", "bash(./deploy.sh *)", "bash(bin/x ?)",
		`bash(grep "a|b" *)`, `bash(grep 'a && b')`, `bash(echo \* \|)`, `bash(echo "a>b")`, "bash(* --version)", "bash(echo [a] {b,c})",
		"bash(> out.txt)", "bash(sudo make *)", "bash(python3 -m *)", "bash(find . -name *.go)", "bash(FOO=*)", "bash([ -f x ])",
		"write(docs/**)", "write", "write(docs/)", "write(/docs/**)", "write(app/[id]/a.tsx)", "write(a,b)", "write({id})", `write("a" b)`,
		"write(a, b.md)", "write(docs/a b/c,d.md)", "write(docs/a, b)", "write(~x/a)", "write(a..b)", "write(**/*)", "bash(cp ../a ~/b)",
	} {
		for _, setting := range all {
			if err := CheckRule(setting, text); err != nil {
				t.Errorf("%s: %s: %v", setting, text, err)
			}
		}
	}
	for text, want := range map[string]string{
		"bash(git push && git tag)": "2 commands", "bash(make | tee log)": "2 commands", "bash(a; b; c)": "3 commands",
		"bash(echo x > out.txt)": "2 commands", "bash(FOO=1 make)": "2 commands", "bash(git push &&)": "no command of the shell",
		`bash("")`: "first word is empty", `bash('' push)`: "first word is empty", "bash(f (x))": "no command of the shell",
		"write({src,lib}/**)": "braces stand for themselves", "read(docs/**, src/**)": "more than one pattern", `edit("docs/**")`: "quotes stand for themselves",
		"write(docs/*, src/*)": "more than one pattern", "write(docs/a.md, docs/b.md)": "more than one pattern", "write(docs/*,src/*)": "more than one pattern",
		"write(docs/** src/**)": "more than one pattern", "write(../x)": "leads out of a folder", "write(docs/../../x)": "leads out of a folder",
		"write(**.md)": "only between slashes", "read(docs**)": "only between slashes", "write(~/x)": "~ stands for itself",
		"agent.TASK(x)": "a delegation has no pattern", "agent.*(x)": "a delegation has no pattern", "mcp.a.b(x)": "MCP servers have no patterns",
		"fetch(https://example.com)": "names no host", "fetch(example.com/x)": "names no host", "network(a b)": "names no host",
		"ports(abc)": "names no port", "ports(80000)": "names no port",
		"bash(": "there is no )", "bash()": "nothing between", "bash(#x)": "", "bash(/usr/bin/git push)": "begin with git",
	} {
		for _, setting := range all {
			if err := CheckRule(setting, text); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s: %v, want %q", setting, text, err, want)
			}
		}
	}
	for _, tt := range []struct{ setting, text, want string }{
		{outsideSetting, "read", "only commands run outside"},
		{outsideSetting, "fetch(example.com)", "only commands run outside"},
		{outsideSetting, "project.*", "only commands run outside"},
		{outsideSetting, "ports(3000)", "only commands run outside"},
		{askBeforeSetting, "agent.*", "a delegation is not asked about"},
		{askBeforeSetting, "agent.REVIEW", "a delegation is not asked about"},
		{hooksSetting, "bash(git push && git tag)", "2 commands"},
		{outsideSetting, "bash(timeout 5 make)", "timeout only runs another command"},
		{outsideSetting, "bash(scp $HOME/x *)", "known only when a command runs"},
	} {
		if err := CheckRule(tt.setting, tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %s: %v, want %q", tt.setting, tt.text, err, tt.want)
		}
	}
	for _, tt := range [][2]string{
		{askBeforeSetting, "fetch(example.com)"}, {askBeforeSetting, "ports(3000)"}, {denySetting, "agent.*"}, {"permit.allow", "read"},
		{askBeforeSetting, "ports(30*)"}, {denySetting, "network(localhost:*)"}, {denySetting, "network(registries)"}, {denySetting, "fetch([::1]:80)"},
		{denySetting, "bash(timeout 5 *)"}, {hooksSetting, "bash(timeout 5 *)"}, {askBeforeSetting, "bash(scp $HOME/x *)"},
	} {
		if err := CheckRule(tt[0], tt[1]); err != nil {
			t.Errorf("%s: %v", tt[0], err)
		}
	}
}
