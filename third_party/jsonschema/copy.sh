#!/bin/sh
# Makes this folder anew: the package in the version that is named, with lazy.patch
# applied. README.md says why. Usage: ./copy.sh v6.0.3
set -eu
cd "$(dirname "$0")"
module=github.com/santhosh-tekuri/jsonschema/v6
from=$(cd "$(mktemp -d)" && go mod download -json "$module@$1" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')

find . -mindepth 1 ! -name README.md ! -name copy.sh ! -name lazy.patch -delete
for f in "$from"/*.go; do
	case $f in *_test.go) ;; *) cp "$f" . ;; esac
done
cp -R "$from/kind" "$from/metaschemas" "$from/LICENSE" "$from/go.mod" .
find . -type d -exec chmod u+rwx {} +
find . -type f ! -name copy.sh -exec chmod 644 {} +
patch -p1 --no-backup-if-mismatch <lazy.patch
go mod tidy # the requirements of what was left out
rm -f go.sum # that of the program counts
../sums "$module" "$1" "$from" <<REASONS
the requirements of what is left: go.mod
compiled when it is first needed: lazy.patch compiler.go draft.go
REASONS
