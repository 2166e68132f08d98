#!/bin/sh
# Makes this folder anew: from the official SDK in the version that is named, what a
# call of the Messages API is made of, with narrow.patch applied. README.md says why.
# Usage: ./copy.sh v1.84.0
set -eu
cd "$(dirname "$0")"
module=github.com/anthropics/anthropic-sdk-go
from=$(cd "$(mktemp -d)" && go mod download -json "$module@$1" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')

root="aliases.go client.go field.go message.go messagebatch.go messagetelemetry.go messageutil.go thinking_warn.go LICENSE"
packages="config internal internal/apierror internal/apiform internal/apijson internal/apiquery internal/auth
internal/encoding/json internal/encoding/json/sentinel internal/encoding/json/shims
internal/paramutil internal/requestconfig internal/sendwindow internal/stainlessheader internal/telemetry internal/tracing
option packages/jsonl packages/pagination packages/param packages/respjson packages/ssestream
shared shared/constant"

find . -mindepth 1 ! -name README.md ! -name copy.sh ! -name narrow.patch -delete
for f in $root go.mod go.sum; do cp "$from/$f" .; done
for p in $packages; do
	mkdir -p "$p"
	for f in "$from/$p"/*.go; do
		case $f in *_test.go) ;; *) cp "$f" "$p/" ;; esac
	done
done
find . -type d -exec chmod u+rwx {} +
find . -type f ! -name copy.sh -exec chmod 644 {} +
patch -p1 --no-backup-if-mismatch <narrow.patch
go mod tidy # the requirements of what was left out
rm -f go.sum # that of the program counts
../sums "$module" "$1" "$from" <<REASONS
the requirements of what is left: go.mod
without the operations that are left out: narrow.patch aliases.go client.go messagetelemetry.go
REASONS
