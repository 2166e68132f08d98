# Starts a Debian on a copy-on-write view of a folder, so that the folder stays as it is.
#
#	unshare --mount sh start.sh ROOT IN OUT boot|chroot
#
# IN appears in it as /in, OUT as /out. boot runs systemd in it, which runs the unit
# /in/trial.service and ends with it; chroot runs /in/debian.sh alone.
set -eu
root=$1 in=$2 out=$3 how=$4

# systemd-nspawn wants a /run in memory.
mount -t tmpfs tmpfs /run
mkdir /run/upper /run/work /run/root
mount -t overlay -o "lowerdir=$root,upperdir=/run/upper,workdir=/run/work" overlay /run/root

# Where the root is that of this machine, nobody lives in it and nothing is added to it.
# The folders are on a disk, which an overlay of a command can stand on.
for dir in home srv root usr/local; do
	mkdir -p "$out/$dir" "/run/root/$dir"
	mount --bind "$out/$dir" "/run/root/$dir"
done
mkdir -p /run/root/in /run/root/out

if [ "$how" = boot ]; then
	exec systemd-nspawn --register=no --keep-unit --private-network --console=pipe --directory=/run/root \
		--bind-ro="$in:/in" --bind="$out:/out" --bind-ro="$in/trial.service:/etc/systemd/system/trial.service" \
		-- /lib/systemd/systemd --unit=trial.service
fi
mount --bind "$in" /run/root/in
mount --bind "$out" /run/root/out
mount --rbind /dev /run/root/dev
mount -t proc proc /run/root/proc
mount -t tmpfs tmpfs /run/root/tmp
mount -t tmpfs tmpfs /run/root/run
exec chroot /run/root /bin/sh /in/debian.sh chroot >"$out/log" 2>&1
