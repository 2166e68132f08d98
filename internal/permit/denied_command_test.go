package permit

import "testing"

// What runs a denied command in another way is refused, or asked about where nobody can tell.
func TestDenialsOfCommandsInOtherWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Outcome{
		"git -C . push":                         Refuse,
		"git -c user.name=a push origin":        Refuse,
		"git --git-dir=x --no-pager push":       Refuse,
		"git -C . push; ls":                     Refuse,
		"git -C $X push":                        Ask,
		"git -C . $X":                           Ask,
		"git -c alias.p=push p":                 Ask,
		"git --config-env=alias.p=X p":          Ask,
		"taskset 1 git push":                    Refuse,
		"taskset -c 0,1 git push":               Refuse,
		"chrt -r 5 git push":                    Refuse,
		"flock -n lock git push":                Refuse,
		"flock lock -c 'git push'":              Ask,
		"script -qc 'git push' /dev/null":       Ask,
		"strace git push":                       Refuse,
		"strace -f -o log git push":             Ask,
		"setpriv --no-new-privs git push":       Ask,
		"watch git push":                        Ask,
		"su -c 'git push'":                      Ask,
		"compgen -C 'git push'":                 Ask,
		"read 'a[$(git push)]' <<< x":           Ask,
		"test -v 'a[$(git push)]'":              Ask,
		"[ -v 'a[`git push`]' ]":                Ask,
		"[[ -v 'a[$(git push)]' ]]":             Ask,
		"declare 'a[$(git push)]=1'":            Ask,
		"export \"a[\\$(git push)]=1\"":         Ask,
		"let 'a[$(git push)]=1'":                Ask,
		"printf -v 'a[$(git push)]' x":          Ask,
		"unset 'a[$(git push)]'":                Ask,
		"mapfile 'a[$(git push)]'":              Ask,
		"wait -p 'a[$(git push)]'":              Ask,
		"(( 'a[$(git push)]' ))":                Ask,
		"x='a[$(git push)]'; echo $((x))":       Ask,
		"x='a[`git push`]' y=1; (( x ))":        Ask,
		"x=\"a[$(date)]\"; i=$((i+1)); y='[z]'": Allow,
		"git -C . status":                       Allow,
		"git --version":                         Allow,
		"git -c color.ui=never log push":        Allow,
		"taskset 1 make":                        Allow,
		"flock lock make":                       Allow,
		"strace make":                           Allow,
		"read -r line; [ -n \"$line\" ]":        Allow,
		"printf '%s\\n' '[x]' \"[$(date)]\"":    Allow,
		"export PS1=\"[$(date)]\"; declare x":   Allow,
		"[[ $x == '$(y)' ]]; ls":                Allow,
	} {
		e := bash(t, text)
		if got := (Policy{Mode: Direct, Allowed: rules(t, "bash"), Denied: rules(t, "bash(git push *)")}).Judge(e); got.Outcome != want {
			t.Errorf("%q: %+v, want %s", text, got, want)
		}
	}
	named := Policy{Mode: Direct, Allowed: rules(t, "bash"), Denied: rules(t, "bash(git -C * push *)", "bash(rm *)")}
	for text, want := range map[string]Outcome{"git -C . push": Refuse, "git push": Allow, "git --unknown rm x": Ask, "git --version": Allow} {
		if got := named.Judge(bash(t, text)); got.Outcome != want {
			t.Errorf("with a denial of options, %q: %+v, want %s", text, got, want)
		}
	}
}
