package review_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"belay/internal/permit/review"
)

// file is a regular file whose content is known.
func file(content string) review.Version {
	return review.Version{Exists: true, Mode: 0o644, Content: []byte(content), Known: true}
}

var (
	unknown = review.Version{Exists: true, Mode: 0o644}
	folder  = review.Version{Exists: true, Mode: fs.ModeDir | 0o755}
	link    = review.Version{Exists: true, Mode: fs.ModeSymlink | 0o777}
)

func added(path string) review.Entry {
	if strings.HasSuffix(path, "HEAD") {
		return review.Entry{Path: path, After: file("ref: refs/heads/main\n")}
	}
	return review.Entry{Path: path, After: file("x\n")}
}

// options are those of the tests: a project with a repository, one below testdata,
// and folders that the user's configuration names.
func options() review.Options {
	there := strings.Fields("known/.hg .git .git/HEAD .git/objects .git/refs old/HEAD old/objects old/refs half/objects half/refs")
	return review.Options{
		GitPaths: []string{"tools/hooks", "./shared.inc"}, PathFolders: []string{"scripts/bin"}, PathAnywhere: []string{"tools/anywhere"},
		Exists: func(path string) bool { return slices.Contains(there, path) },
	}
}

func riskOf(t testing.TB, e review.Entry, more ...review.Entry) review.Risk {
	t.Helper()
	f := review.Classify(append([]review.Entry{e}, more...), options())[0]
	if f.Path != e.Path || (f.Reason == "") != (f.Risk == review.Ordinary) {
		t.Errorf("%s: the finding is %+v", e.Path, f)
	}
	return f.Risk
}

// Every row of the table, with names that look like it and are not.
func TestTable(t *testing.T) {
	t.Parallel()
	for want, paths := range map[review.Risk]string{
		review.Automatic: `.gitmodules sub/.gitmodules .gitconfig .config/git/config
			.husky/pre-commit .husky/_/h .githooks/x lefthook.yml lefthook-local.yaml .lefthook.toml .lefthook/a .pre-commit-config.yaml tools/hooks/pre-push shared.inc
			.hg/hgrc sub/.hg/hgrc .hg/hgrc-not-shared .hg/sharedpath .hg/requires .hgsub .jj/repo/config.toml .jj/workspace-config.toml .jj/repo sub/.hg/store/00changelog.i
			.envrc a/b/.envrc mise.toml mise.local.toml .mise.toml .mise/config.toml .config/mise/conf.d/a.toml .tool-versions .bashrc .cshrc .Rprofile .irbrc a/.pdbrc .iex.exs .config/autostart/x.desktop .config/systemd/user/x.service .readthedocs.yaml
			.vscode/tasks.json sub/.vscode/tasks.json .VSCODE/Tasks.json .idea/runConfigurations/a.xml x.code-workspace .zed/tasks.json .exrc .nvim.lua
			.dir-locals.el .devcontainer/devcontainer.json .devcontainer.json .devcontainer/Dockerfile
			.mcp.json .claude/settings.json .cursor/mcp.json .codex/config.toml .gemini/settings.json
			.npmrc packages/a/.npmrc .yarnrc.yml .pnpmfile.cjs .yarn/releases/yarn-4.cjs .yarn/plugins/p.cjs pnpm-workspace.yaml binding.gyp
			.cargo/config.toml .cargo/config a/.cargo/config.toml .bazelrc tools/bazel .mvn/jvm.config .mvn/wrapper/maven-wrapper.jar mvnw mvnw.cmd
			gradlew gradlew.bat gradle/wrapper/gradle-wrapper.properties
			.github/workflows/ci.yml .github/actions/a/action.yml .gitlab-ci.yml .circleci/config.yml azure-pipelines.yml azure-pipelines-nightly.yml Jenkinsfile
			.drone.yml .buildkite/pipeline.yml .travis.yml .woodpecker.yml bitbucket-pipelines.yml
			scripts/bin/go scripts/bin/deep/x .venv/bin/python venv/Scripts/python.exe node_modules/.bin/tsc node_modules/a/node_modules/.bin/b web/node_modules/.bin/c
			.venv/lib/python3/site-packages/a.pth .venv/lib/site-packages/sitecustomize.py node_modules/a/.envrc
			.git .GIT sub/.git node_modules/a/.git
			.git/hooks/pre-commit .Git/Hooks/post-checkout .git/commondir .git/info/attributes .git/objects/info/alternates .git/unknown
			.git/objects/x/config .git/objects/ab/config .git/modules/info/config .git/modules/a/b/hooks/post-checkout .git/worktrees/w/commondir .git/worktrees/w/gitdir
			.git/config .git/config.worktree sub/.git/hooks/x old/config old/hooks/post-checkout old/HEAD half/HEAD
			GIT~1/hooks/x VSCODE~1/tasks.json .git./hooks/x .git::$INDEX_ALLOCATION/hooks/x .vſcode/a a\.vscode\tasks.json ./.envrc`,
		review.OnRequest: `Makefile makefile sub/Makefile GNUmakefile rules.mk justfile .justfile Taskfile.yml Taskfile.dist.yaml Rakefile
			Dockerfile Dockerfile.dev api.Dockerfile Containerfile compose.yaml compose.prod.yml docker-compose.yml docker-compose.override.yml
			build.rs Cargo.toml setup.py pyproject.toml conftest.py tests/conftest.py build.gradle settings.gradle.kts gradle.properties CMakeLists.txt cmake/find.cmake pom.xml
			AGENTS.md docs/AGENTS.md CLAUDE.md .cursorrules node_modules/a/index.js node_modules/a/.vscode/tasks.json node_modules/a/package.json
			node_modules/a/.github/workflows/ci.yml .venv/lib/python3/site-packages/a.py .pnp.cjs vite.config.ts
			.git/rebase-merge/git-rebase-todo .git/sequencer/todo`,
		review.Ordinary: `main.go README.md vscode/tasks.json my.envrc.md envrc .envrc.md a.vscode .vscode-test.md idea.txt husky/x docs/husky.md githooks.md .gitignore
			.gitattributes .editorconfig code-workspace mcp.json claude/x cursor.go npmrc .npmrc.md yarn/releases/x .yarn/cache/a.zip cargo/config.toml config.toml .cargo/audit.toml
			github/workflows/x .github/CODEOWNERS .github/ISSUE_TEMPLATE/a.md workflows/ci.yml Jenkinsfiles.md circleci bin/x scripts/go scripts/binary/x .venv2/x
			tools/hooks.md tools/bazel.md gradle/libs.toml mvnw.md Makefiles.md build/out.js workspace/a.go agents.go composer.json package.json.md a.pth model/a.pth
			.git/objects/ab/cdef0123 .git/objects/pack/pack-1.pack .git/objects/info/commit-graphs/graph-1.graph .git/refs/heads/main .git/refs/heads/config .git/logs/HEAD
			.git/index .git/HEAD .git/ORIG_HEAD .git/FETCH_HEAD .git/MERGE_MSG .git/MERGE_HEAD .git/COMMIT_EDITMSG .git/packed-refs .git/info/exclude
			.git/hooks/pre-commit.sample .git/modules/a/b/objects/ab/cd .git/worktrees/w/HEAD old/refs/heads/main old/objects/ab/cd
			known/.hg/store/00changelog.i .hg/dirstate .hg/cache/x .jj/repo/store/extra/x .jj/working_copy/x .hgignore .hgtags
			HEAD other/HEAD objects/a refs/a a/commondir git/hooks/x .gitx/hooks/x half/other/HEAD`,
	} {
		for path := range strings.FieldsSeq(paths) {
			if got := riskOf(t, added(path)); got != want {
				t.Errorf("%s: %s, want %s", path, got, want)
			}
		}
	}
}

// Every name of every row is found in any folder, and a longer name is not. A name with
// two stars would be found nowhere.
func TestRows(t *testing.T) {
	t.Parallel()
	named, described := review.Table()
	for _, row := range slices.Concat(named, described) {
		if row.Risk == review.Ordinary || row.Reason == "" || row.Files == "" {
			t.Errorf("the row is incomplete: %+v", row)
		}
		if strings.Contains(row.Reason, "\n") || strings.HasSuffix(row.Reason, ".") {
			t.Errorf("the reason is no clause: %q", row.Reason)
		}
	}
	for _, row := range named {
		for name := range strings.FieldsSeq(row.Files) {
			path := strings.ReplaceAll(name, "*", "x")
			if got := riskOf(t, added("sub/"+path)); got < row.Risk {
				t.Errorf("%s: %s, want %s", path, got, row.Risk)
			}
			if got := riskOf(t, added(path+"-")); got != review.Ordinary && !strings.HasSuffix(name, "*") && !strings.Contains(path, "/") {
				t.Errorf("%s-: %s", path, got)
			}
		}
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		about string
		entry review.Entry
		want  review.Risk
	}{
		{"a name with a character that some systems ignore", added(".g\u200cit/hooks/x"), review.Automatic},
		{"a path with many readings", added(".git/" + strings.Repeat("modules/", 150) + "x"), review.Automatic},
		{"a path that is too deep", added(strings.Repeat("a/", 1_000_000) + "x"), review.Automatic},
		{"an empty folder", review.Entry{Path: ".vscode", After: folder}, review.Ordinary},
		{"a new repository's folder", review.Entry{Path: "sub/.git", After: folder}, review.Ordinary},
		{"a link to a folder that may have workflows", review.Entry{Path: ".github", After: link}, review.Automatic},
		{"a link to what has a folder of PATH", review.Entry{Path: "scripts", After: link}, review.Automatic},
		{"a link to what has hooks", review.Entry{Path: "tools", After: link}, review.Automatic},
		{"a link in a git directory", review.Entry{Path: ".git/refs/heads/x", After: link}, review.Automatic},
		{"a link as git directory", review.Entry{Path: ".git", After: link}, review.Automatic},
		{"any other link", review.Entry{Path: "a/b", After: link}, review.Ordinary},
		{"new permissions of a hook", review.Entry{Path: ".husky/x", Before: unknown, After: review.Version{Exists: true, Mode: 0o755}}, review.Automatic},
		{"a removed folder", review.Entry{Path: ".git", Before: folder}, review.Ordinary},
		{"a removed hook", review.Entry{Path: ".git/hooks/pre-commit", Before: unknown}, review.Ordinary},
		{"a removed workflow", review.Entry{Path: ".github/workflows/a.yml", Before: unknown}, review.Ordinary},
		{"a removed Makefile", review.Entry{Path: "Makefile", Before: unknown}, review.Ordinary},
		{"a removed package.json", review.Entry{Path: "package.json", Before: unknown}, review.Ordinary},
		{"a removed .npmrc may have switched off scripts", review.Entry{Path: ".npmrc", Before: unknown}, review.Automatic},
		{"removed settings of an agent may have denied", review.Entry{Path: ".claude/settings.json", Before: unknown}, review.Automatic},
		{"a removed git configuration may have named other hooks", review.Entry{Path: ".git/config", Before: unknown}, review.Automatic},
		{"a removed .git file", review.Entry{Path: "sub/.git", Before: unknown}, review.Automatic},
		{"a removed commondir", review.Entry{Path: ".git/commondir", Before: unknown}, review.Automatic},
		{"a removed HEAD", review.Entry{Path: ".git/HEAD", Before: unknown}, review.Automatic},
		{"removed objects", review.Entry{Path: ".git/objects", Before: folder}, review.Automatic},
		{"removed refs", review.Entry{Path: "sub/.git/refs", Before: folder}, review.Automatic},
		{"refs of a submodule", review.Entry{Path: ".git/modules/a/b/refs", Before: folder}, review.Automatic},
		{"refs of a repository with another name", review.Entry{Path: "old/refs", Before: folder}, review.Automatic},
		{"a removed branch", review.Entry{Path: ".git/refs/heads/main", Before: unknown}, review.Ordinary},
		{"a branch called refs", review.Entry{Path: ".git/refs/heads/refs", Before: unknown}, review.Ordinary},
		{"removed branches", review.Entry{Path: ".git/refs/heads", Before: folder}, review.Ordinary},
		{"a HEAD that git cannot read", review.Entry{Path: ".git/HEAD", Before: unknown, After: file("x\n")}, review.Automatic},
		{"a HEAD that is not known", review.Entry{Path: ".git/HEAD", Before: unknown, After: unknown}, review.Automatic},
		{"a HEAD with an id", review.Entry{Path: ".git/HEAD", Before: unknown, After: file(strings.Repeat("0a", 20) + "\n")}, review.Ordinary},
		{"a HEAD with a branch", review.Entry{Path: ".git/HEAD", Before: unknown, After: file("ref:refs/heads/x\n")}, review.Ordinary},
		{"a HEAD with a file", review.Entry{Path: ".git/HEAD", Before: unknown, After: file("ref: ../x\n")}, review.Automatic},
		{"refs that become a file", review.Entry{Path: ".git/refs", Before: folder, After: file("x\n")}, review.Automatic},
		{"a plain git configuration", review.Entry{Path: ".git/config", After: file("[core]\n\tbare = false\n")}, review.Ordinary},
		{"a submodule's plain configuration", review.Entry{Path: ".git/modules/a/config", After: file("[core]\n\tbare = false\n")}, review.Ordinary},
		{"a large git configuration", review.Entry{Path: ".git/config", After: unknown}, review.Automatic},
		{"a version of Rust", review.Entry{Path: "rust-toolchain.toml", After: file("[toolchain]\nchannel = \"1.85\"\n")}, review.Ordinary},
		{"a folder of Rust", review.Entry{Path: "rust-toolchain.toml", After: file("[toolchain]\npath = \"x\"\n")}, review.Automatic},
		{"an escaped folder of Rust", review.Entry{Path: "rust-toolchain", After: file("[toolchain]\n\"\\u0070ath\" = \"x\"\n")}, review.Automatic},
		{"a large version of Rust", review.Entry{Path: "rust-toolchain.toml", After: unknown}, review.Automatic},
	} {
		if got := riskOf(t, test.entry); got != test.want {
			t.Errorf("%s: %s, want %s", test.about, got, test.want)
		}
	}
}

// Files that make a repository together are found together, wherever they are.
func TestPlantedRepository(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		paths string
		want  review.Risk
	}{
		"all of it":               {"a/config a/HEAD a/objects/x a/refs/x", review.Automatic},
		"the rest of it":          {"half/README half/HEAD", review.Automatic},
		"with commondir":          {"a/config a/HEAD a/commondir", review.Automatic},
		"in the top folder":       {"config HEAD objects/x refs/x", review.Automatic},
		"in another case":         {"a/x A/head A/Objects/x A/REFS/x", review.Automatic},
		"among refs":              {".git/refs/a/config .git/refs/a/HEAD .git/refs/a/objects/x .git/refs/a/refs/x", review.Automatic},
		"not all of it":           {"a/config a/HEAD a/objects/x", review.Ordinary},
		"beside it":               {"b/config a/HEAD a/objects/x a/refs/x", review.Ordinary},
		"git init":                {"a/.git/index a/.git/HEAD a/.git/objects/x a/.git/refs/x", review.Ordinary},
		"data of one that was":    {"old/refs/heads/x old/HEAD", review.Ordinary},
		"a submodule that is new": {".git/modules/a/index .git/modules/a/HEAD .git/modules/a/objects/ab/cd .git/modules/a/refs/x", review.Automatic},
	} {
		var entries []review.Entry
		for path := range strings.FieldsSeq(test.paths) {
			entries = append(entries, added(path))
		}
		if got := riskOf(t, entries[0], entries[1:]...); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
