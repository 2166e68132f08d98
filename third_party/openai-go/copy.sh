#!/bin/sh
# Makes this folder anew: from the official SDK in the version that is named, what a
# call of chat completions is made of. README.md says why. Usage: ./copy.sh v3.95.0
set -eu
cd "$(dirname "$0")"
module=github.com/openai/openai-go/v3
from=$(cd "$(mktemp -d)" && go mod download -json "$module@$1" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')

root="chatcompletion.go chatcompletion_helpers.go chatcompletionmessage.go completion.go aliases.go field.go LICENSE"
packages="auth internal internal/apierror internal/apiform internal/apijson internal/apiquery
internal/encoding/json internal/encoding/json/sentinel internal/encoding/json/shims
internal/paramutil internal/requestconfig internal/websockettransport option
packages/pagination packages/param packages/respjson packages/ssestream packages/websocket
shared shared/constant"

find . -mindepth 1 ! -name README.md ! -name copy.sh -delete
for f in $root go.mod go.sum; do cp "$from/$f" .; done
for p in $packages; do
	mkdir -p "$p"
	for f in "$from/$p"/*.go; do
		case $f in *_test.go) ;; *) cp "$f" "$p/" ;; esac
	done
done
find . -type d -exec chmod u+rwx {} +
find . -type f ! -name copy.sh -exec chmod 644 {} +
go mod tidy # the requirements of what was left out
rm -f go.sum # that of the program counts
../sums "$module" "$1" "$from" <<REASONS
the requirements of what is left: go.mod
REASONS
