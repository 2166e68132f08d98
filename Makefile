# belay needs Go and make. Parts of the tests use Node or a browser where they are
# there; make test says plainly what it skipped. In CI (CI=true) nothing is.

GO      ?= go
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
COMMIT  := $(shell git rev-parse --short=12 HEAD 2>/dev/null)
DATE    := $(shell TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd 2>/dev/null)
LINTER  := v2.15.0

# Where everything goes that make builds.
BIN := $(CURDIR)/bin

# The folders with Go in them.
SOURCES := bench cmd docs examples internal release test web

# Tests of what holds a command: hundreds of processes and gigabytes. The race detector finds
# nothing there, and each process would start with it.
HOLDING := TestCommandsThatWrite|TestDisk|TestEscapes|TestFilesOfFourGiB|TestGitOfAHostileRepository|TestMoreFilesThanCanBeReviewed|TestReadOnlyCommands|TestTextsThatOnlySeemToLook

# Tests of power cuts, dead processes and disks that fail: names of them in the packages that write.
CRASHES := PowerCuts|FullDisk|Killed|Acknowledged|EachFlush|Promises|Dead|Fails|Person|Flushe|Unflushed|EveryOperation|Beside

# Those of dead processes that crashes runs as well: each process would start with the race detector.
KILLED := TestKilled|TestKilledAtEveryStep|TestKilledWhile(Sending|Working|Writing)

# Tests that have the engine for PDFs read much, which runs one file at a time: with the race
# detector it would take a quarter of an hour.
PDFS := TestHostileFiles|TestPDFOfTooManyPages|TestPlanDeclaredWithinLimits|TestPlanMaxPages|TestPlanPDFsWithinLimits|TestTextIsCappedBySettings

# Tests of requests that fit every model: they take hundreds of turns, one after the other.
HISTORIES := TestHistoryCanAlwaysBeSent|TestForksCanAlwaysBeSent

# Packages that work for long and start no goroutine: there is no race to detect.
ALONE := internal/attachment/pdf internal/template internal/workflow/definition internal/workspace/decomposition \
	internal/workspace/graph internal/workspace/lifecycle internal/workspace/register internal/workspace/repository

# The race detector needs a C compiler. A make within make has cgo off and could not find it out.
RACE := $(shell CC=$$($(GO) env CC); if [ "$$($(GO) env CGO_ENABLED)" = 1 ] && command -v $${CC%% *} >/dev/null 2>&1; then echo -race; fi)

# The version is stamped by the linker: -buildvcs would fail where Git is missing. Everything
# but the tests with the race detector has the flags of a release, so that packages compile once.
export GOFLAGS += -buildvcs=false -trimpath
export CGO_ENABLED = 0
CLI   := belay/internal/cli
STAMP := -X $(CLI).version=$(VERSION) -X $(CLI).commit=$(COMMIT) -X $(CLI).date=$(DATE)

# Where make install puts the program, its manual pages and completions.
PREFIX  ?= /usr/local
DESTDIR ?=
SHARE    = $(DESTDIR)$(PREFIX)/share

.PHONY: one-path build install uninstall release release-check demo run web test unit processes holding crashes full-disk crash lint linter fmt fmt-check vet gen screens gen-check bench bench-page test-tools parts page clean

build: ## the program, in bin/belay
	$(GO) build -trimpath -ldflags '-s -w $(STAMP)' -o '$(BIN)/belay' ./cmd/belay

# A path with blanks is several for rm and install. Other targets have no use for PREFIX, which may
# be in the environment for something else.
one-path:
	@$(if $(filter-out 1,$(words [$(DESTDIR)$(PREFIX)])),$(error DESTDIR and PREFIX take no path with blanks))

install: one-path build ## the program, manual pages and completions, below PREFIX
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/man/man1 $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	install -m 755 '$(BIN)/belay' $(DESTDIR)$(PREFIX)/bin/belay
	$(GO) run ./docs/gen -man $(SHARE)/man/man1 -date $(or $(DATE),1970-01-01T00:00:00Z)
	'$(BIN)/belay' completion bash > $(SHARE)/bash-completion/completions/belay
	'$(BIN)/belay' completion zsh > $(SHARE)/zsh/site-functions/_belay
	'$(BIN)/belay' completion fish > $(SHARE)/fish/vendor_completions.d/belay.fish

uninstall: one-path ## what make install put there; projects and state stay
	rm -f $(DESTDIR)$(PREFIX)/bin/belay $(SHARE)/man/man1/belay.1 $(SHARE)/man/man1/belay-*.1
	rm -f $(SHARE)/bash-completion/completions/belay $(SHARE)/zsh/site-functions/_belay $(SHARE)/fish/vendor_completions.d/belay.fish

release: ## archives, packages and an image for all systems, in dist
	cd release && $(GO) run . --root .. --out ../dist

release-check: ## a release for this machine, installed, used and removed, also in a bare Debian
	cd release && $(GO) vet ./... && $(GO) test -v -timeout 30m ./...

demo: build ## an agent that asks, in the chat, on a copy of the example project
	@./examples/play '$(BIN)/belay' demo

run: build ## a server with the page on a copy of the same example
	@./examples/play '$(BIN)/belay' page

# Tests wait for processes and disks as much as they compute: two parts at a time. Both need
# what is compiled first.
test: fmt-check vet lint gen-check parts page ## everything that CI runs
	$(if $(RACE),CGO_ENABLED=1) $(GO) build $(RACE) ./internal/...
	@$(MAKE) --no-print-directory -j2 RACE=$(RACE) processes unit release-check crashes holding full-disk

web: test-tools ## the page, in web/dist; needs Node, and what it makes is committed
	cd web && npm run types && npm run build

page: test-tools ## the page's unit tests, and whether web/dist is what web/src gives
	@./test/page

# Ten minutes for a package, which is what Go gives it, are little on a busy or slow machine.
# Everything was vetted before.
TEST = $(GO) test -vet=off -timeout 45m

# A process built with the race detector sleeps a second at its end, unless told not to.
unit: export GORACE += atexit_sleep_ms=0
unit:
	$(if $(RACE),CGO_ENABLED=1) $(TEST) $(RACE) -skip '^($(HOLDING)|$(KILLED)|$(PDFS)|$(HISTORIES))$$' $$($(GO) list ./internal/... | grep -vxF $(ALONE:%=-e belay/%))
	$(TEST) $(addprefix ./,$(ALONE))
	$(TEST) -run '^($(PDFS)|$(HISTORIES))$$' ./internal/attachment ./internal/turn

# Tests outside of internal/ work in processes of belay, which have the race detector where it matters.
processes: export BELAY_RACE = $(RACE)
processes: export GORACE += atexit_sleep_ms=0
processes:
	$(TEST) $$($(GO) list ./... | grep -v ^belay/internal/)

holding:
	$(TEST) -run '^($(HOLDING))$$' ./internal/tool/shell

# The model of a disk is one for a process, so the longest of its tests has its own. On a disk
# these tests would wait for it most of the time.
CRASH_TEST = $(TEST) -tags crashtest -exec "'$(CURDIR)/test/in-memory'"
crashes:
	$(CRASH_TEST) -run '$(CRASHES)' -skip '^TestFullDisk$$' ./test/crash ./internal/durable ./internal/journal ./internal/permit ./internal/session ./internal/tool/shell/overlay ./internal/turn ./internal/workflow/run ./internal/workspace/...

full-disk:
	$(CRASH_TEST) -run '^TestFullDisk$$' ./test/crash ./internal/session

crash: ## power cuts, in a model and real ones, and full disks, at every change of a file
	$(CRASH_TEST) -count=1 -v ./test/crash -args -cut.rounds 25 -full.every

lint: linter
	$(BIN)/golangci-lint-$(LINTER) run ./...
	cd release && $(BIN)/golangci-lint-$(LINTER) run ./...

linter: $(BIN)/golangci-lint-$(LINTER)

$(BIN)/golangci-lint-$(LINTER):
	GOBIN=$(BIN) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINTER)
	mv $(BIN)/golangci-lint $@

fmt:
	gofmt -w $(SOURCES)

fmt-check:
	@bad=$$(gofmt -l $(SOURCES)); \
	if [ -n "$$bad" ]; then echo "not formatted, run make fmt:"; echo "$$bad"; exit 1; fi

vet: ## for the other systems that belay runs on; lint vets for this one
	$(GO) build -o $(BIN)/vet ./test/vet
	set -e; for system in $(filter-out $(shell $(GO) env GOOS),linux darwin windows); do GOOS=$$system $(BIN)/vet ./...; done

gen: ## the generated pages of docs/ and files of examples/
	$(GO) run ./examples/gen examples
	$(GO) run ./docs/gen
	$(GO) test ./internal/cli -run TestTutorial -update
	$(GO) test ./internal/chat -run TestPicture -update

screens: ## the pictures of docs/screens.md and docs/screens-project.md, in Chromium
	BELAY_SCREENS=../../docs $(GO) test ./test/browser -run '^TestScreens$$' -count=1

gen-check:
	$(GO) run ./docs/gen -check

bench: build test-tools ## belay beside a bare server, into docs/performance.md
	$(GO) run ./bench

bench-page: build ## the page in Chromium beside a bare one, into docs/performance-page.md
	$(GO) run ./bench/page

test-tools: ## what the tests use beside Go, where Node is there
	@./test/tools

parts: test-tools
	@./test/parts "$(RACE)"

clean:
	rm -rf $(BIN) dist
