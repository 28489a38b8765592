/**
 * Lists of programs by their properties: shell builtins, programs that run another program, programs that take code as
 * an argument, programs with dangerous options. With these lists the rules read like sentences.
 */
import { type Command, exactText, type Resolved, type Word } from './tree.js';

const list = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((name) => name !== ''));

/** Words that may precede a command. */
export const KEYWORDS = list('if then else elif fi do done while until ! { } time -p coproc');

export const BUILTINS = list(`. : [ alias bg bind break builtin caller case cd command compgen complete compopt continue
  declare dirs disown echo enable eval exec exit export false fc fg for function getopts hash help history jobs kill let
  local logout mapfile popd printf pushd pwd read readarray readonly return select set shift shopt source suspend test
  time times trap true type typeset ulimit umask unalias unset wait [[ (( (())`);

/** Builtins with arguments that name or declare a variable, a callback or code. */
export const NAMING_BUILTINS = list(`unset read mapfile readarray getopts alias compgen complete compopt declare typeset
  local bind enable fc`);

export const DECLARING_BUILTINS = list('declare typeset local export readonly');

/** Shells: their `-c` argument, or else their standard input, is a program. */
export const SHELLS = list('sh bash dash ash ksh mksh zsh fish csh tcsh');

/** Programs that pass a `-c` argument, at any position, to a shell. */
export const SHELL_STARTERS = list('su runuser script flock');

/** Programs that run a command in a container and pass it their input. */
export const CONTAINER_RUNNERS = list('docker podman nerdctl kubectl lxc nsenter');

/** Programs with options that a value with a leading dash could set. */
export const ACTS_ON_OPTIONS = list(`
  arch b2sum base32 base64 basename cat chcon chgrp chmod chown chroot cksum comm cp csplit cut date dd df dir dircolors
  dirname du env expand expr factor fmt fold groups head hostid id install join link ln logname ls md5sum mkdir mkfifo
  mknod mktemp mv nice nl nohup nproc numfmt od paste pathchk pr ptx pwd readlink realpath rm rmdir runcon sha1sum
  sha224sum sha256sum sha384sum sha512sum shred shuf sleep sort split stat stdbuf stty sum sync tac tail tee timeout
  touch tr truncate tsort tty uname unexpand uniq unlink uptime users vdir wc who whoami yes
  git gh hub svn hg tar zip unzip gzip gunzip zcat bzip2 xz zstd cpio 7z grep egrep fgrep zgrep rg ag ack find fd locate
  xargs parallel curl wget http ssh scp sftp rsync nc telnet ping dig nslookup docker docker-compose podman buildah
  kubectl helm terraform ansible ansible-playbook vagrant aws gcloud az systemctl journalctl service crontab at
  npm npx pnpm pnpx yarn node nodejs deno bun tsc tsx eslint prettier biome jest vitest mocha python python2 python3 pip
  pip3 pipx poetry uv pytest tox ruff mypy black flake8 ruby gem bundle rake perl php composer lua java javac mvn gradle
  go gofmt cargo rustc rustup gcc g++ cc c++ clang clang++ ld ar make cmake ninja meson bazel
  sed awk gawk mawk nawk jq yq xmllint xsltproc diff diff3 sdiff cmp patch file strings less more man vi vim nvim nano
  emacs ed mail sendmail ps pgrep pkill killall top lsof fuser mount umount ip ifconfig iptables openssl gpg age
  apt apt-get apt-cache dpkg yum dnf rpm brew pacman apk snap psql mysql mysqldump sqlite3 redis-cli mongo mongosh
  ffmpeg convert magick pandoc claude codex gemini aider llm su sudo doas watch screen tmux logger envsubst column
`);

/** More programs by which a line is recognized as a command where they are not installed. */
const OTHER_PROGRAMS = list(`
  glab hg bun pip2 conda mamba micromamba uvx hatch pdm rye tox nox coverage gunicorn uvicorn flask django-admin rails
  rspec rubocop pod fastlane swift swiftlint xcodebuild xcrun flutter dart gradlew mvnw sbt lein dotnet msbuild nuget
  phpunit artisan symfony R Rscript julia ghc cabal stack elixir mix rebar3 sam cdk oc eksctl helmfile kustomize
  minikube kind k3s k3d k9s argocd flux istioctl skaffold tilt tofu terragrunt pulumi packer vault consul nomad salt
  gsutil bq doctl heroku fly flyctl vercel netlify wrangler firebase supabase serverless rclone restic borg s3cmd mc
  pg_dump pg_restore pg_isready createdb dropdb mysqladmin mongodump alembic flyway liquibase dbmate prisma sqlx
  playwright cypress webpack vite rollup esbuild turbo nx lerna changeset semantic-release goreleaser golangci-lint
  mocha ava tap nyc c8 lighthouse lhci trivy grype syft cosign snyk sonar-scanner semgrep gitleaks pre-commit shellcheck
  shfmt hadolint yamllint markdownlint stylelint pylint isort bandit pyright vulture actionlint act buildkite-agent
  skopeo crane nerdctl ctr lxc qemu-img virsh podman-compose ssh-keygen pdflatex latexmk xelatex typst hugo jekyll mkdocs
  sphinx-build exiftool yt-dlp tesseract gs pdftotext k6 locust ab wrk hey siege jmeter newman protoc buf grpcurl
  statedsl gemini opencode cursor-agent copilot goose amp ollama qwen
`);

/** Whether people know it as a program. */
export const isWellKnown = (name: string): boolean => ACTS_ON_OPTIONS.has(name) || OTHER_PROGRAMS.has(name);

/** The arguments of a wrapper program before the name of the program that it starts. */
interface Wrapper {
  /** Short and long options that take a value. */
  readonly valued?: readonly string[];
  /** Operands before the program (`timeout 5 cmd`). */
  readonly operands?: number;
  /** `NAME=value` words before the program. */
  readonly assignments?: true;
  /** Options that only ask about a program (`command -v`). */
  readonly asks?: readonly string[];
}

const words = (text: string): readonly string[] => text.split(' ');

const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>([
  ['exec', { valued: ['-a'] }],
  ['command', { asks: ['-v', '-V'] }],
  ['builtin', {}],
  ['env', { valued: ['-u', '--unset', '-C', '--chdir'], assignments: true }],
  ['sudo', { valued: '-u -g -h -p -C -r -t -T -U -D -R --user --group --chdir'.split(' '), assignments: true }],
  ['doas', { valued: ['-u', '-C'] }],
  ['nohup', {}],
  ['setsid', {}],
  ['nice', { valued: ['-n', '--adjustment'] }],
  ['ionice', { valued: ['-c', '-n', '--class', '--classdata'] }],
  ['timeout', { valued: ['-s', '--signal', '-k', '--kill-after'], operands: 1 }],
  ['stdbuf', { valued: ['-i', '-o', '-e', '--input', '--output', '--error'] }],
  ['time', { valued: ['-o', '-f', '--output', '--format'] }],
  ['chroot', { operands: 1 }],
  ['unbuffer', {}],
  ['strace', { valued: words('-a -b -e -E -I -o -O -p -P -s -S -u -U -X') }],
  ['ltrace', { valued: words('-a -A -D -e -F -l -n -o -p -s -u -w -x') }],
  ['valgrind', {}],
  ['flock', { valued: ['-w', '--timeout', '-E', '--conflict-exit-code'], operands: 1, asks: ['-c', '--command'] }],
  ['taskset', { operands: 1 }],
  ['chrt', { operands: 1 }],
  ['numactl', {}],
  ['unshare', { valued: ['-S', '-G', '-R', '-w'] }],
  ['nsenter', { valued: ['-t', '-S', '-G'] }],
  ['setpriv', { valued: words('--reuid --regid --groups --inh-caps --bounding-set --securebits --selinux-label') }],
  ['runuser', { valued: ['-u', '-g', '-G'], asks: ['-c', '-l', '-', '--command'] }],
  ['systemd-run', { valued: ['-p', '-u', '-M', '-H', '-E', '--unit', '--property', '--uid', '--gid', '--setenv'] }],
  ['systemd-inhibit', {}],
  ['xvfb-run', { valued: ['-n', '-s', '-e', '-f', '-p', '-w'] }],
  ['dbus-run-session', {}],
  ['fakeroot', {}],
  ['fakechroot', {}],
  ['faketime', { operands: 1 }],
  ['firejail', {}],
  ['prlimit', {}],
  ['busybox', {}],
  ['toybox', {}],
  ['proxychains', { valued: ['-f'] }],
  ['proxychains4', { valued: ['-f'] }],
  ['torsocks', {}],
  ['torify', {}],
  ['cpulimit', { valued: ['-l', '-p', '-e'] }],
  ['cross-env', { assignments: true }],
  ['dotenv', { valued: ['-e', '-f'] }],
  ['caffeinate', { valued: ['-t', '-w'] }],
  ['eatmydata', {}],
  ['catchsegv', {}],
  ['setarch', { operands: 1 }],
  ['sshpass', { valued: ['-p', '-f', '-d', '-P'] }],
  ['linux32', {}],
  ['linux64', {}],
  [
    'xargs',
    {
      valued: '-I -n -P -L -d -s -E -a --max-args --max-procs --max-lines --delimiter --arg-file --replace'.split(' '),
    },
  ],
]);

export function baseName(path: string): string {
  // Most names are no paths, and the first slash is found faster than the last.
  return path.includes('/') ? path.slice(path.lastIndexOf('/') + 1) : path;
}

/** The base name of the program that a word names, or null if only the run determines it. */
export function programName(word: Word | undefined): string | null {
  const text = exactText(word);
  return text === null ? null : baseName(text);
}

/** Finds the actual program behind wrapper programs. */
export function resolveProgram(command: Command): Resolved {
  command.resolved ??= resolve(command.words);
  return command.resolved;
}

/** Of all commands that run their first word. */
const DIRECT: Resolved = { program: 0, chosen: [0] };

function resolve(words: readonly Word[]): Resolved {
  if (!WRAPPERS.has(programName(words[0]) ?? '')) return DIRECT;
  const chosen: number[] = [];
  let at = 0;
  for (;;) {
    chosen.push(at);
    const name = programName(words[at]);
    const wrapper = name === null ? undefined : WRAPPERS.get(name);
    if (wrapper === undefined) return { program: at, chosen };
    const next = afterOptions(words, at + 1, wrapper);
    if (next === null || next >= words.length) return { program: at, chosen };
    at = next;
  }
}

function afterOptions(words: readonly Word[], from: number, wrapper: Wrapper): number | null {
  let at = from;
  let operands = wrapper.operands ?? 0;
  for (; at < words.length; at++) {
    const word = words[at] as Word;
    const text = word.text;
    if (exactText(word) === '--') {
      at += 1 + operands;
      break;
    }
    if (wrapper.asks?.includes(text) === true) return null;
    if (text.length > 1 && text.startsWith('-')) {
      if (wrapper.valued?.includes(text) === true) at++;
    } else if (wrapper.assignments === true && /^[A-Za-z_]\w*=/.test(text)) {
      // An assignment for the program's environment, which the rule for variables checks.
    } else if (operands > 0) operands--;
    else break;
  }
  return at;
}

export interface ProgramArgument {
  readonly word: Word;
  /** The option that takes this word as its value, without dashes; null for an operand. */
  readonly option: string | null;
}

export interface OptionSpec {
  /** The letters of short options that take a value. */
  readonly letters: string;
  /** Long options that take a value, with the number of words. */
  readonly long?: Readonly<Record<string, number>>;
  /** All words after the first operand are operands. */
  readonly stops?: true;
}

/** Separates operands from options and their values, like getopt. */
export function readArguments(words: readonly Word[], from: number, spec: OptionSpec): ProgramArgument[] {
  const found: ProgramArgument[] = [];
  let options = true;
  for (let at = from; at < words.length; at++) {
    const word = words[at] as Word;
    const text = word.text;
    if (!options || text.length < 2 || !text.startsWith('-')) {
      found.push({ word, option: null });
      if (spec.stops === true) options = false;
    } else if (text === '--') options = false;
    else if (text.startsWith('--') || Object.hasOwn(spec.long ?? {}, text.replace(/^-/, ''))) {
      const equals = text.indexOf('=');
      const name = text.slice(text.startsWith('--') ? 2 : 1, equals < 0 ? undefined : equals);
      if (equals >= 0) found.push({ word, option: name });
      else
        for (let left = spec.long?.[name] ?? 0; left > 0 && at + 1 < words.length; left--)
          found.push({ word: words[++at] as Word, option: name });
    } else {
      const valued = [...text.slice(1, 40)].findIndex((letter) => spec.letters.includes(letter));
      if (valued < 0) continue;
      const option = text[valued + 1] as string;
      if (valued + 2 < text.length) found.push({ word, option });
      else if (at + 1 < words.length) found.push({ word: words[++at] as Word, option });
    }
  }
  return found;
}

/** A word of signs alone, such as `=`, which is neither a builtin nor the path of a program. */
export function isSign(name: string): boolean {
  return /^[^\p{L}\p{N}_./~$!({[:][^\p{L}\p{N}_/]*$|^:[^\p{L}\p{N}_/]+$/u.test(name);
}
