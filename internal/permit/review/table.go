package review

// Row is a line of the table.
type Row struct {
	Risk Risk
	// Files are names, separated by spaces, in any folder and any case. A name of a
	// folder stands for everything in it. In a described row it is a description.
	Files string
	// Reason is a clause without a subject.
	Reason string
	// Removal rows also count where the path is removed. Mostly a removal runs nothing.
	// These files may also forbid programs, or hide others that would run instead.
	Removal bool
	// Dependencies rows also count inside installed packages.
	Dependencies bool
}

// Table returns the rows whose files are names, and those whose files are described. The
// caller does not change them.
func Table() (named, described []Row) { return rows, special }

// rows are looked up by name.
var rows = []Row{
	// Git.
	{Risk: Automatic, Files: ".gitmodules",
		Reason: "names repositories that git fetches and enters"},
	{Risk: Automatic, Files: ".gitconfig .config/git", Removal: true,
		Reason: "is a git configuration, which can name programs"},
	{Risk: Automatic, Files: ".husky .githooks .git-hooks lefthook*.yml lefthook*.yaml lefthook*.toml lefthook*.json .lefthook*.yml " +
		".lefthook*.yaml .lefthook*.toml .lefthook*.json .lefthook .lefthook-local .pre-commit-config.yaml .pre-commit-config.yml prek.toml",
		Reason: "is a git hook or says which hooks run"},

	// Mercurial and Jujutsu.
	{Risk: Automatic, Files: ".hg/hgrc .hg/hgrc-not-shared .hg/requires .hg/sharedpath .hgsub .jj/repo/config.toml .jj/workspace-config.toml .jj/repo/store/git_target", Removal: true,
		Reason: "is a configuration of hg or jj, which can name programs, or says where it is"},

	// Entering a folder, starting a shell.
	{Risk: Automatic, Files: ".envrc .direnv mise.toml mise.*.toml .mise.toml .mise.*.toml .mise mise/config*.toml .config/mise .config/mise.toml " +
		".mise-tasks mise-tasks .tool-versions", Dependencies: true,
		Reason: "is run or obeyed by the shell when somebody enters the folder"},
	{Risk: Automatic, Files: ".bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin .zlogout .cshrc .tcshrc .config/fish .ssh .Rprofile .Renviron " +
		".irbrc .pryrc .pdbrc .ghci .ocamlinit .octaverc .iex.exs .gdbinit .lldbinit .psqlrc .sqliterc .config/autostart .config/systemd",
		Reason: "runs or is obeyed when a program starts here or in a home folder that links here"},

	// Editors.
	{Risk: Automatic, Files: ".vscode .idea *.code-workspace .zed .fleet .vs .helix .exrc .vimrc .nvimrc .nvim.lua .dir-locals.el .dir-locals-2.el " +
		".devcontainer .devcontainer.json",
		Reason: "can name programs that an editor starts when it opens the folder"},

	// Agents.
	{Risk: Automatic, Files: ".mcp.json .claude .cursor .codex .gemini .windsurf .kiro .roo .cline .continue .qwen .amazonq .opencode opencode.json opencode.jsonc " +
		".crush.json crush.json .aider.conf.yml", Removal: true,
		Reason: "can name programs that an agent starts, and what it may do unasked"},

	// Package managers and wrappers of build tools.
	{Risk: Automatic, Files: ".npmrc .yarnrc .yarnrc.yml pnpm-workspace.yaml bunfig.toml .cargo/config .cargo/config.toml .bundle/config", Removal: true,
		Reason: "decides what an installation or build downloads and runs"},
	{Risk: Automatic, Files: ".pnpmfile.cjs .pnpmfile.mjs pnpmfile.js .yarn/releases .yarn/plugins .yarn/sdks binding.gyp .bundle/plugin",
		Reason: "is run by a package manager"},
	{Risk: Automatic, Files: ".bazelrc .bazeliskrc .bazelversion tools/bazel .mvn mvnw mvnw.cmd gradlew gradlew.bat gradle/wrapper",
		Reason: "is run or obeyed by a build tool before it reads the build"},

	// Servers that build the project.
	{Risk: Automatic, Files: ".github/workflows .github/actions action.yml action.yaml .gitlab-ci.yml *.gitlab-ci.yml .gitlab/ci .circleci " +
		"azure-pipelines*.yml azure-pipelines*.yaml .azure-pipelines Jenkinsfile Jenkinsfile.* *.Jenkinsfile .drone.yml .drone.yaml .drone.star .drone.jsonnet " +
		".buildkite buildkite.yml buildkite.yaml .travis.yml appveyor.yml .appveyor.yml bitbucket-pipelines.yml .woodpecker .woodpecker.yml .woodpecker.yaml " +
		".forgejo/workflows .gitea/workflows cloudbuild.yaml cloudbuild.yml .cirrus.yml .cirrus.star .semaphore .teamcity codefresh.yml .build.yml .builds " +
		".tekton buildspec.yml buildspec.yaml bamboo-specs .readthedocs.yaml .readthedocs.yml",
		Reason: "runs in CI once it is pushed"},

	// Programs that run under another name.
	{Risk: Automatic, Files: "node_modules/.bin .venv/bin venv/bin .venv/Scripts venv/Scripts", Dependencies: true,
		Reason: "can run in the place of another program"},
	{Risk: Automatic, Files: "site-packages/*.pth site-packages/sitecustomize.py site-packages/usercustomize.py",
		Reason: "runs whenever Python starts"},

	// What people start.
	{Risk: OnRequest, Files: "node_modules .venv venv .pnp.cjs .pnp.loader.mjs", Dependencies: true,
		Reason: "is part of installed packages"},
	{Risk: OnRequest, Files: "Makefile Makefile.* GNUmakefile *.mk justfile .justfile *.just Taskfile.yml Taskfile.yaml Taskfile.*.yml Taskfile.*.yaml Rakefile *.rake " +
		"Procfile Earthfile Tiltfile Vagrantfile Magefile.go magefiles",
		Reason: "says what a task runs"},
	{Risk: OnRequest, Files: "Dockerfile Dockerfile.* *.Dockerfile Containerfile Containerfile.* docker-bake.hcl compose.yml compose.yaml compose.*.yml compose.*.yaml " +
		"docker-compose*.yml docker-compose*.yaml",
		Reason: "says what a container runs"},
	{Risk: OnRequest, Files: "build.rs Cargo.toml setup.py setup.cfg pyproject.toml *.gradle *.gradle.kts gradle.properties pom.xml build.sbt CMakeLists.txt *.cmake " +
		"CMakePresets.json CMakeUserPresets.json meson.build SConstruct configure configure.ac build.zig Package.swift Gemfile *.gemspec Podfile BUILD.bazel " +
		"WORKSPACE.bazel MODULE.bazel *.bzl flake.nix shell.nix default.nix *.csproj Directory.Build.props Directory.Build.targets deno.json deno.jsonc",
		Reason: "runs in a build, or says what a build runs"},
	{Risk: OnRequest, Files: "*.config.js *.config.cjs *.config.mjs *.config.ts *.config.cts *.config.mts gulpfile.* Gruntfile.* .eslintrc.js .eslintrc.cjs",
		Reason: "runs with a tool that it configures"},
	{Risk: OnRequest, Files: "conftest.py noxfile.py tox.ini",
		Reason: "runs with the tests"},
	{Risk: OnRequest, Files: "AGENTS.md AGENTS.override.md CLAUDE.md CLAUDE.local.md GEMINI.md .cursorrules .windsurfrules .clinerules .github/copilot-instructions.md .github/instructions .agents/skills",
		Reason: "instructs agents"},
}

// special are the rows that need more than a name. Code looks them up.
var special = []Row{
	{Risk: Automatic, Files: "a git directory, except objects, refs, packed-refs, logs, index, HEAD and what git notes of a merge, a fetch or a commit",
		Reason: reasonGitPart, Removal: true, Dependencies: true},
	{Risk: Automatic, Files: "a configuration of a git directory with a key that git itself does not write",
		Reason: reasonGitConfig, Removal: true, Dependencies: true},
	{Risk: Automatic, Files: "a .git that is a file or a link",
		Reason: reasonGitFile, Removal: true, Dependencies: true},
	{Risk: Automatic, Files: "a folder that becomes a git directory: HEAD with objects and refs, or with commondir",
		Reason: reasonPlanted, Dependencies: true},
	{Risk: Automatic, Files: "HEAD, objects and refs of a git directory, where they are removed, or HEAD is none that git can read",
		Reason: reasonGitEnds, Removal: true, Dependencies: true},
	{Risk: Automatic, Files: "the store of a new .hg, and a .jj/repo that is a file or a link",
		Reason: reasonOtherRepository},
	{Risk: OnRequest, Files: "the state of a rebase in a git directory",
		Reason: reasonRebase, Dependencies: true},
	{Risk: Automatic, Files: "files that a configuration of git names (core.hooksPath, include.path, filters, editors and all other keys that may name a program): yours, " +
		"and that of each repository which the file is in",
		Reason: reasonGitPath, Dependencies: true},
	{Risk: Automatic, Files: "all files, where such a configuration cannot be read or is too large",
		Reason: reasonGitUnread, Dependencies: true},
	{Risk: Automatic, Files: "files in a folder of your PATH; programs in any folder that a relative entry of it can lead to",
		Reason: reasonPath, Dependencies: true},
	{Risk: Automatic, Files: "package.json: a script that an installation runs (preinstall, install, postinstall, prepare and their like)",
		Reason: reasonInstall},
	{Risk: Automatic, Files: "package.json: a packageManager with an address",
		Reason: reasonManager},
	{Risk: Automatic, Files: "package.json that is no JSON, or too large to look at",
		Reason: reasonUnread},
	{Risk: OnRequest, Files: "package.json: other scripts, dependencies, and all else that does not only describe the package",
		Reason: reasonPackage},
	{Risk: Automatic, Files: "rust-toolchain.toml and rust-toolchain with a path",
		Reason: reasonToolchain},
	{Risk: Automatic, Files: "a path that is more than 200 folders deep",
		Reason: reasonDeep, Removal: true, Dependencies: true},
}

// Reasons that need no file name.
const (
	reasonGitPath         = "is run or read by git, whose configuration names it"
	reasonGitUnread       = "may be run by git, whose configuration cannot be read"
	reasonPath            = "is in a folder of your PATH, so it can run in the place of another program"
	reasonOtherRepository = "makes the folder a repository of hg or jj, whose hooks and configuration count"
	reasonDeep            = "is in too many folders to be looked at"
)
