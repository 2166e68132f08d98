# Runs as root in a Debian: the package is installed, used by a person and as a service,
# upgraded while the service runs, and removed. $1 is boot where systemd runs.
set -ex
how=$1
export HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin
server=http://127.0.0.1:23529
touch /out/begun
trap 'status=$?; test $status = 0 || journalctl --no-pager -n 80 || true; echo $status > /out/status' EXIT

# What the system keeps of every package and user is no trace of belay.
everything() {
	find /etc /home /opt /root /srv /usr /usr/local /var -xdev \( -path /var/log -o -path /var/cache -o -path /var/tmp -o -path /var/lib/systemd \
		-o -path /var/lib/dpkg -o -path '/etc/*-' -o -path '/etc/*.lock' \) -prune -o -print | sort
}
everything > /tmp/before

dpkg -i /in/belay.deb
belay version

# A person: the set-up, and a first question. The line for the shell works.
useradd --create-home --shell /bin/bash ana
su - ana -c 'mkdir bridge && cd bridge && echo alpha > notes.md && belay setup --provider scripted > ../line && belay turn "What is here?" | grep "What is here?"'
su - ana -c 'set -e; . ./line; complete -p belay; cd bridge; belay project list'
test -e /usr/share/man/man1/belay.1 && test -e /usr/share/bash-completion/completions/belay

# The units are sound, and their hardening does not become less.
systemd-sysusers
units=/usr/lib/systemd
systemd-analyze verify --man=no $units/system/belay.service $units/system/belay.socket
XDG_RUNTIME_DIR=/tmp systemd-analyze verify --man=no --user $units/user/belay.service
systemd-analyze security --no-pager --offline=true --threshold=58 $units/system/belay.service | tail -1

# The unit of a person, under a systemd of their own, with a key that no command sees.
if [ "$how" = boot ]; then
	systemctl start user@$(id -u ana).service
	su - ana -c 'set -e
		export XDG_RUNTIME_DIR=/run/user/$(id -u)
		systemctl --user start belay
		cd bridge
		belay turn --server http://127.0.0.1:23529 "Who serves?" | grep "Who serves?"
		systemctl --user stop belay'
fi

# A project for the service.
mkdir -p /srv/bridge
echo alpha > /srv/bridge/notes.md
chown -R belay:belay /srv/bridge
cat > /srv/script.yaml <<EOF
turns:
  - when: go
    steps:
      - call: {name: bash, input: {command: "tr a-z A-Z < notes.md > loud.txt; env > seen.txt; touch /srv/outside; cat /proc/1/environ"}}
      - say: That was all.
EOF
service() { (cd /srv/bridge && HOME=/var/lib/belay BELAY_STATE_DIR=/var/lib/belay/state setpriv --reuid=belay --regid=belay --clear-groups belay "$@"); }
ask() { service turn --server $server --project /srv/bridge "$@"; }
sessions() { service session list --project /srv/bridge --json | grep -c '"sessionId"'; }
# until waits a while for a command to succeed.
until_ok() { n=0; until "$@"; do n=$((n + 1)); test $n -lt 100; sleep 0.1; done; }

if [ "$how" = boot ]; then
	mkdir -p /etc/systemd/system/belay.service.d /etc/belay
	echo ANTHROPIC_API_KEY=sk-of-the-service > /etc/belay/environment
	chmod 600 /etc/belay/environment
	cat > /etc/systemd/system/belay.service.d/project.conf <<EOF
[Service]
ReadWritePaths=/srv/bridge
Environment=BELAY_PROVIDER=scripted BELAY_SCRIPTED_SCRIPT=/srv/script.yaml
ExecStart=
ExecStart=/usr/bin/belay serve --project /srv/bridge
EOF
	systemctl daemon-reload

	# It is ready when systemctl returns. The hardening of the unit leaves the sandbox of
	# commands whole, and the key of the service is not a command's to see.
	systemctl start belay
	ask --mode acceptEdits go
	test "$(cat /srv/bridge/loud.txt)" = ALPHA
	test -s /srv/bridge/seen.txt
	if grep sk-of-the-service /srv/bridge/seen.txt; then exit 1; fi
	test ! -e /srv/outside

	# One that is killed comes back.
	killed=$(systemctl show belay -p MainPID --value)
	systemctl kill -s KILL belay
	until_ok ask again
	test "$(systemctl show belay -p MainPID --value)" != "$killed"
	test "$(systemctl show belay -p NRestarts --value)" = 1
else
	mkdir -m 700 /var/lib/belay
	chown belay:belay /var/lib/belay
	(cd /srv/bridge && HOME=/var/lib/belay BELAY_STATE_DIR=/var/lib/belay/state exec setpriv --reuid=belay --regid=belay --clear-groups belay serve --provider scripted --project /srv/bridge --addr 127.0.0.1:0) 2>/tmp/served &
	serving=$!
	until_ok grep -o 'http://127[0-9.:]*' /tmp/served # the network may be that of the machine
	server=$(grep -o 'http://127[0-9.:]*' /tmp/served)
	until_ok ask go
	ask again
fi

# Another user is let in by nobody.
if su - ana -c "belay turn --server $server --project /srv/bridge hello"; then exit 1; fi

# An upgrade while the server runs: it goes on as it is, and the next one has its sessions.
dpkg -i /in/belay.deb
ask during
if [ "$how" = boot ]; then
	systemctl restart belay
	ask after

	# systemd opens the address, and starts the server at the first request. One that is
	# killed comes back here too.
	systemctl stop belay
	systemctl start belay.socket
	test "$(systemctl is-active belay)" = inactive
	ask woken
	test "$(systemctl is-active belay)" = active
	killed=$(systemctl show belay -p MainPID --value)
	systemctl kill -s KILL belay
	until_ok ask killed
	test "$(systemctl show belay -p MainPID --value)" != "$killed"
	systemctl stop belay.socket belay
	test "$(sessions)" -ge 6
else
	kill $serving
	wait $serving
	test "$(sessions)" = 3
fi

# Removed without a trace, as docs/install.md says.
dpkg --purge belay
test ! -e /usr/bin/belay
rm -r /home/ana/.config/belay /home/ana/.local/state/belay /home/ana/.cache/belay /home/ana/bridge/.belay
rm -r /srv/bridge/.belay /var/lib/belay
userdel belay
# What this trial made itself.
rm -rf /etc/systemd/system/belay.service.d /etc/belay /srv/bridge /srv/script.yaml
if [ "$how" = boot ]; then systemctl stop user@$(id -u ana).service; fi
test "$(find /home/ana -type f | grep -v '/\.bash' | sort | tr '\n' ' ')" = "/home/ana/.profile /home/ana/bridge/notes.md /home/ana/line "
userdel --remove ana
everything > /tmp/after
comm -13 /tmp/before /tmp/after > /out/left
test ! -s /out/left
