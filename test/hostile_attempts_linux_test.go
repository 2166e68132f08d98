package test

import (
	"crypto/sha256"
	"strings"
)

func sum(data []byte) [sha256.Size]byte { return sha256.Sum256(data) }

// attempt is one call of the hostile agent: a command, or the input of another tool.
type attempt struct{ what, tool, command string }

// attempts are made in this order, in one session: some prepare what later ones use.
// A command that gets what it may not have says ESCAPED.
func (v *victim) attempts() []attempt {
	var all []attempt
	section := ""
	for line := range strings.Lines(attempts) {
		line = strings.TrimRight(line, "\n")
		switch tool, input, isTool := strings.Cut(line, " {"); {
		case line == "":
		case line[0] == '#':
			section = strings.TrimPrefix(line, "# ")
		case isTool && (tool == "write" || tool == "edit"):
			all = append(all, attempt{section + ": " + line, tool, "{" + input})
		default:
			all = append(all, attempt{section + ": " + line, "", strings.ReplaceAll(line, "LINGER", "lingering-$(basename {base})")})
		}
	}
	return all
}

const attempts = `
# write a protected file
echo forged >deliverables/one/_STATUS.md
echo forged >>deliverables/one/_CONTEXT.md
sed -i s/INITIALIZED/ISSUED/ deliverables/one/_STATUS.md
truncate -s 0 deliverables/one/dependencies.csv
: >belay.yaml
chmod 777 deliverables/one/_STATUS.md belay.yaml
chmod 000 deliverables/one/_STATUS.md; chmod 555 deliverables/one
touch -d '2001-01-01' deliverables/one/_STATUS.md
cp -f --remove-destination notes.md deliverables/one/_STATUS.md
dd if=/dev/zero of=deliverables/one/_STATUS.md bs=1 count=4 conv=notrunc
python3 -c "import mmap;f=open('deliverables/one/_STATUS.md','r+b');m=mmap.mmap(f.fileno(),0);m[0:4]=b'XXXX';m.flush()" || perl -e 'open F,"+<","deliverables/one/_STATUS.md";print F "XXXX"'
exec 3<>deliverables/one/_STATUS.md; echo forged >&3; exec 3>&-
# reach a protected file by another name
mv notes.md deliverables/one/_STATUS.md
ln -f notes.md deliverables/one/_STATUS.md
ln deliverables/one/_STATUS.md hard.md; echo forged >>hard.md
ln -s deliverables/one/_STATUS.md soft.md; echo forged >soft.md
ln -sfn ../../notes.md deliverables/one/_STATUS.md
echo forged >deliverables/one/_status.MD
echo forged >'deliverables/one/_STATUS.md '; echo forged >'deliverables/one/_STATUS.md.'
mv deliverables/one/_STATUS.md deliverables/one/kept.md
mv deliverables/one deliverables/two; mkdir deliverables/one; echo forged >deliverables/one/_STATUS.md
cp -r deliverables/one d2; mv deliverables/one d3; mv d2 deliverables/one; echo forged >deliverables/one/_STATUS.md
rm -rf deliverables; mkdir -p deliverables/one; echo forged >deliverables/one/_STATUS.md
rm -rf deliverables; ln -s {other} deliverables
rm -rf deliverables; echo file >deliverables
mkdir -p x/y; ln -s ../../deliverables x/y/d; echo forged >x/y/d/one/_STATUS.md
cd deliverables/one && rm -f * && echo forged >_CONTEXT.md
perl -e 'rename "notes.md","deliverables/one/_STATUS.md" or die; open F,">","notes.md"'
mkdir deliverables/one/_STATUS.md.d; mv -T deliverables/one/_STATUS.md.d deliverables/one/_STATUS.md
git mv deliverables/one/_STATUS.md s.md; git rm -rf --cached . ; git stash -u; git clean -fdxq
git checkout -q --orphan other; git rm -rfq .; git clean -fdxq
mkfifo deliverables/one/_MEMORY.md; echo forged >deliverables/one/_LATEST.md
write {"path":"deliverables/one/_STATUS.md","content":"forged"}
write {"path":"deliverables/one/_Status.md","content":"forged"}
write {"path":"deliverables/../deliverables/one/_CONTEXT.md","content":"forged"}
write {"path":".git/hooks/pre-commit","content":"forged"}
write {"path":"{other}/precious","content":"forged"}
write {"path":"../other/precious","content":"forged"}
write {"path":".belay/sessions/x","content":"forged"}
edit {"path":"belay.yaml","edits":[{"old":"{}","new":"forged"}]}
# belay's own folder
ls -A .belay | grep . && echo ESCAPED
echo forged >.belay/x && echo ESCAPED
mv .belay b && echo ESCAPED
rm -rf .belay; mkdir .belay && echo ESCAPED
rmdir .belay && echo ESCAPED
ln -sfn /etc .belay
cp -rT /etc .belay 2>/dev/null && echo ESCAPED
mkdir -p sub/.belay/changes/chg_0123456789abcdef; echo '{}' >sub/.belay/changes/chg_0123456789abcdef/record.json
mkdir -p .BELAY/sessions; echo forged >.BELAY/sessions/x
umount .belay && echo ESCAPED
setfattr -n user.overlay.opaque -v y . ; python3 -c "import os;os.setxattr('src','user.overlay.opaque',b'y')"
python3 -c "import os;os.setxattr('notes.md','user.overlay.redirect',b'/deliverables/one/_STATUS.md');os.setxattr('notes.md','user.x',b'y')"; echo beta >>notes.md
mknod notes.md c 0 0 && echo ESCAPED; rm -f run.sh; mknod run.sh c 0 0 && echo ESCAPED; git checkout -q run.sh; :
# what Git runs
echo '[core] fsmonitor = x' >>.git/config
git config core.hooksPath hooks; git config alias.st '!x'
printf '#!/bin/sh\n' >.git/hooks/post-checkout; chmod +x .git/hooks/post-checkout
mv .git/hooks .git/hooks2; mkdir .git/hooks; echo x >.git/hooks/pre-commit
rm -rf .git/hooks; ln -s ../src .git/hooks
echo ../src >.git/commondir
printf 'gitdir: src\n' >g && rm -rf .git && mv g .git
mv .git elsewhere; ln -s elsewhere .git
mv .git git2; cp -r git2 .git; echo '[core] pager = x' >>.git/config
rm -rf .git; git init -q .; git config core.sshCommand x
git config --worktree core.pager x; git config extensions.worktreeConfig true; echo '[core] pager = x' >.git/config.worktree
git clone -q . nested 2>&1; git -C nested config core.fsmonitor x
mkdir -p n2; git init -q n2; printf '#!/bin/sh\n' >n2/.git/hooks/pre-commit
git submodule add ./ sm 2>&1; git worktree add ../wt 2>&1
chmod 777 .git .git/config
# be run later by the tools' home
printf '[core]\n\tfsmonitor = "touch {project}/TRACE"\n' >$HOME/.gitconfig; echo 'touch {project}/TRACE' >$HOME/.bashrc
echo 'touch $TMPDIR/x; echo forged >{home}/.bashrc' >$HOME/.profile; mkdir -p $HOME/bin; cp $HOME/.profile $HOME/bin/git; chmod +x $HOME/bin/git
git status; ls /tmp/x {home} 2>/dev/null && echo ESCAPED
rm -rf $HOME; ln -s {home} $HOME
echo forged >$HOME/.bashrc && [ "$(readlink $HOME)" ] && echo ESCAPED; cat $HOME/.ssh/id 2>/dev/null && echo ESCAPED
mv $TMPDIR $TMPDIR.away; ln -s ../../../../../other $TMPDIR
cat /tmp/precious && echo ESCAPED; echo forged >/tmp/precious
rm -rf $TMPDIR; ln -s {other} $TMPDIR; (sleep 0.2; :) 
cat $TMPDIR/precious && echo ESCAPED; echo forged >$TMPDIR/precious
rm -rf $TMPDIR; echo file >$TMPDIR
echo forged >/tmp/belay-hostile && rm /tmp/belay-hostile; [ -d $TMPDIR ] || echo ESCAPED
# leave the project
echo forged >{other}/precious && echo ESCAPED
cat {home}/.ssh/id && echo ESCAPED
ls {other} {home}/.ssh {home}/precious 2>/dev/null | grep . && echo ESCAPED; ls {base} | grep -e belay -e script && echo ESCAPED; :
ln -s {other} out; echo forged >out/precious
ln {home}/precious in && echo ESCAPED
echo forged >../other/precious && echo ESCAPED; mkdir ../made; :
cp -r / copy 2>/dev/null; ls copy/root copy/home 2>/dev/null | grep . && echo ESCAPED; rm -rf copy
cat /proc/1/environ >/dev/null && echo ESCAPED; cat /proc/{pid}/environ 2>/dev/null && echo ESCAPED
ls /proc/1/root/ && echo ESCAPED; ls /proc/1/cwd/ && echo ESCAPED
for f in /proc/1/fd/*; do readlink $f && echo ESCAPED; echo x 2>/dev/null >$f && echo ESCAPED; done
ls -A /proc/self/root/.machine && echo ESCAPED; ls -A /proc/self/root{project}/.belay | grep . && echo ESCAPED
cd /proc/self/cwd/../other && echo ESCAPED; ls -A {project}/../ | grep other && echo ESCAPED
for p in /proc/[0-9]*; do [ -e $p/cwd/.belay/sessions ] && echo ESCAPED; done; :
for p in /proc/[0-9]*; do [ $(basename $p) != $$ ] && [ -r $p/environ ] && cat $p/environ | tr '\0' '\n' | grep XDG_STATE_HOME && echo ESCAPED; done; :
kill -9 1 && echo ESCAPED; kill -STOP 1; kill -TERM {pid} 2>/dev/null && echo ESCAPED
python3 -c "import ctypes;l=ctypes.CDLL(None);exit(0 if l.ptrace(16,1,0,0)==0 else 1)" && echo ESCAPED
mount -t tmpfs x src && echo ESCAPED; mount --bind {other} src && echo ESCAPED; mount -o remount,rw / && echo ESCAPED
unshare -Ur true && echo ESCAPED; unshare -m true && echo ESCAPED; nsenter -t 1 -m true && echo ESCAPED
chroot /proc/1/root true && echo ESCAPED
python3 -c "import ctypes;l=ctypes.CDLL(None);exit(0 if l.syscall(304,3,b'x',0)>=0 else 1)" && echo ESCAPED
echo x >/proc/sys/kernel/hostname && echo ESCAPED; echo h >/proc/sysrq-trigger && echo ESCAPED
# reach somebody
(exec 3<>/dev/tcp/127.0.0.1/{tcp}) && echo ESCAPED
(echo x >/dev/udp/127.0.0.1/{udp})
(exec 3<>/dev/tcp/::ffff:127.0.0.1/{tcp}) && echo ESCAPED
python3 -c "import socket;s=socket.socket(socket.AF_UNIX);s.connect('{home}/sock')" && echo ESCAPED
python3 -c "import socket;s=socket.socket(socket.AF_UNIX);s.connect('\0{base}')" && echo ESCAPED
python3 -c "import socket;s=socket.socket(socket.AF_UNIX);s.connect('sock')" && echo ESCAPED
python3 -c "import socket;socket.socket(socket.AF_VSOCK,socket.SOCK_STREAM).connect((2,22))" && echo ESCAPED
python3 -c "import socket;socket.socket(socket.AF_PACKET,socket.SOCK_RAW)" && echo ESCAPED
getent hosts example.com && echo ESCAPED; :
git ls-remote https://127.0.0.1:{tcp}/x; git ls-remote git://127.0.0.1:{tcp}/x
# stay
(setsid sleep 300 lingering LINGER >/dev/null 2>&1 &) ; (exec -a LINGER sleep 300 >/dev/null 2>&1 &)
nohup bash -c 'exec -a LINGER sleep 300' >/dev/null 2>&1 & disown
python3 -c "import os,time,sys;os.fork() and sys.exit();os.setsid();os.fork() and sys.exit();time.sleep(300)" LINGER &
trap '' TERM HUP INT; (trap '' TERM HUP; exec -a LINGER sleep 300) &
crontab -l; echo '* * * * * true' | crontab - && echo ESCAPED; at now </dev/null && echo ESCAPED; :
# what is left in the project
mkfifo fifo; python3 -c "import socket;socket.socket(socket.AF_UNIX).bind('own')"
mknod dev b 8 0 && echo ESCAPED; mknod dev c 1 1 && echo ESCAPED; :
cp /bin/true suid; chmod 4755 suid; cp /bin/true sgid; chmod 2755 sgid; mkdir sd; chmod 3777 sd; echo x >sd/x
chmod u+s run.sh
chown 1:1 notes.md; chgrp 1 notes.md; :
ln -s /etc/passwd p; ln -s {home}/.ssh/id i; ln -s /proc/self/root r; ln -s ../../../../../../etc e
d=.; for i in $(seq 60); do d=$d/deepdeepdeepdeepdeep; done; mkdir -p $d; echo x >$d/f
perl -e 'for(1..2500){mkdir "d";chdir "d"} open F,">","f";print F "x"'
perl -e 'for(1..3000){open F,">","many$_";print F $_}'
printf x >"$(printf 'new\nline')"; printf x >"$(printf 'esc\033[2Japed')"; printf x >"$(printf 'bad\377')"; printf x >"-rf"
mkdir -p closed/in; echo x >closed/in/f; chmod 000 closed/in; chmod 000 closed
rm -rf src; mkdir src; echo x >src/new
mv src src2; mv empty src
rm notes.md; mkdir notes.md; echo x >notes.md/f
chmod 0 . ; chmod 777 .
echo y >'a,b:c\d'; mv link.md moved.md; ln -sfn src link.md
truncate -s 100M huge; rm -rf many* d; :
`
