/**
 * What programs take as code, or as the choice of what they run: environment variables, options and operands. The names
 * are from the manuals of usual programs. Variables follow rules, because each new program has more of them.
 */
import { exactText, HOLE, type LexedHole, type Word } from './tree.js';

const words = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');

// ---- variables --------------------------------------------------------------------------------------

/** Ends and beginnings of names, and whole names. */
const CODE_VARIABLE = new RegExp(
  `^(?:${[
    // Shells and what they start.
    'IFS|PS[0-4]|ENV|SHELL|\\w*SHELLOPTS|BASHOPTS|BASH_(?:ENV|FUNC_\\w*)|ZDOTDIR|INPUTRC|TERMCAP|TERMINFO(?:_DIRS)?|COMSPEC',
    'VISUAL|BROWSER|FCEDIT|\\w*(?:EDITOR|PAGER|ASKPASS|PATH|HOME)|\\w+(?:COMMAND|_CMD|_SHELL|_RSH|_SSH|_WRAPPER|_LAUNCHER|_LINKER|_RUNNER|_OPTIONS|_OPTS)',
    'LESS(?:OPEN|CLOSE|KEY\\w*)?|MORE|MANOPT|MANROFFSEQ|(?:G|EX)?VIM(?:INIT|RUNTIME)?|EXINIT|MYVIMRC',
    '(?:WGET|PHP|PSQL|SCREEN|MAIL|CURL|LYNX)RC|MAILCAPS|SENDMAIL',
    // Loaders and languages.
    '(?:LD|DYLD|GLIBC|GCONV)_\\w+|OPENSSL_(?:CONF|MODULES|ENGINES)|_?JAVA_\\w+|JDK_\\w+|NODE_REPL_EXTERNAL_MODULE|LUA_INIT\\w*',
    'PYTHON\\w*|PERL\\w*|RUBY\\w*|GEM_\\w+|BUNDLE_\\w+|PHP_INI_SCAN_DIR|R_(?:PROFILE|ENVIRON)\\w*|ERL_\\w+|DOTNET_\\w+|CORECLR_\\w+|COR_\\w+',
    'PYTEST_(?:ADDOPTS|PLUGINS)|COVERAGE_(?:PROCESS_START|RCFILE)|DJANGO_SETTINGS_MODULE|FLASK_APP|GUNICORN_CMD_ARGS',
    'MPLBACKEND|JUPYTER_CONFIG_DIR|IPYTHONDIR',
    'RAKEOPT|(?:PRY|IRB)RC|R_LIBS(?:_\\w+)?|DENO_DIR|BUN_INSTALL|NVM_DIR|(?:PY|RB)ENV_ROOT|CONDA_EXE',
    // Builds and packages.
    'CONFIG_SITE|AR|RANLIB|LEX|YACC|AWK|LIBTOOL|SWIFT_EXEC|DEVELOPER_DIR|GCC_EXEC_PREFIX|CHROME_BIN',
    '(?:GNU)?MAKEFLAGS|MFLAGS|MAKEFILES|(?:CGO_|CARGO_ENCODED_|HOST)?(?:C|CXX|CPP|LD|AS|F|FC|OBJC|GO|RUST|RUSTDOC|NVCC)FLAGS',
    '(?:HOST)?(?:CC|CXX|CPP|LD)|FC|F77|MAKE|RUSTC|RUSTDOC|RUSTFMT|RUSTUP_\\w+|CARGO(?:_\\w+)?|PKG_CONFIG|GO(?:ROOT|ENV|TOOLCHAIN|PROXY|BIN|TOOLDIR)',
    'CMAKE_\\w+|CCACHE_\\w+|DISTCC_\\w+|MAVEN_\\w+|ANT_\\w+|GRADLE_\\w+|npm_config_\\w+|NPM_CONFIG_\\w+|YARN_\\w+|PIP_\\w+',
    // Tools with settings of their own.
    'GIT_\\w+|HG|HGMERGE|CVS_\\w+|RSYNC_\\w+|XDG_(?:CONFIG|DATA)_DIRS|KUBECONFIG|DOCKER_CONFIG|HELM_\\w+|ANSIBLE_\\w+|VAGRANT_\\w+|SYSTEMD_LESS',
    'KUBECTL_EXTERNAL_DIFF|TEXEDIT|LYNX_CFG|P4(?:DIFF|MERGE|CONFIG)|GH_CONFIG_DIR',
    'GTK_MODULES|GIO_\\w+|GDK_PIXBUF_MODULE_FILE|VK_ICD_FILENAMES',
    'TF_(?:CLI_\\w+|PLUGIN\\w*)|AWS_(?:CONFIG|SHARED_CREDENTIALS)_FILE|CLOUDSDK_(?:PYTHON\\w*|CONFIG)|BOTO_CONFIG|STARSHIP_CONFIG',
  ].join('|')})$`,
);

/** Data in spite of their family. */
const DATA_VARIABLE = new RegExp(
  `^(?:${[
    'GIT_(?:(?:AUTHOR|COMMITTER)_(?:NAME|EMAIL|DATE)|TERMINAL_PROMPT|OPTIONAL_LOCKS|\\w+_PATHSPECS|CEILING_DIRECTORIES|MERGE_VERBOSITY|FLUSH|REFLOG_ACTION)',
    'GIT_(?:BRANCH|COMMIT|TAG|SHA|REF|URL|REPO|USER|USERNAME|EMAIL|NAME|TOKEN|PASSWORD)|(?:PYTHON|RUBY|PERL|JAVA|GRADLE|MAVEN|ANT|YARN)_VERSION',
    'PYTHON(?:UNBUFFERED|IOENCODING|HASHSEED|DONTWRITEBYTECODE|UTF8|OPTIMIZE|VERBOSE|DEBUG|FAULTHANDLER)',
    'CARGO_(?:TERM_\\w+|PKG_\\w+|INCREMENTAL|NET_\\w+|REGISTRY_TOKEN|TARGET_DIR)|(?:npm_config|NPM_CONFIG)_(?:loglevel|LOGLEVEL|\\w*token|\\w*TOKEN)|YARN_NPM_AUTH_TOKEN',
    'PIP_(?:NO_\\w+|DISABLE_\\w+|QUIET)|DOTNET_(?:CLI_TELEMETRY_OPTOUT|NOLOGO)|RSYNC_(?:PASSWORD|PROXY)|ANSIBLE_(?:FORCE_COLOR|NOCOLOR)|HELM_(?:NAMESPACE|KUBETOKEN)',
    // A path to data, as programs name their own.
    '(?:\\w+_)?(?:FILE|OUT|OUTPUT|INPUT|SRC|SOURCE|DEST|DST|TARGET|DATA|LOG|REPORT|TMP|TEMP|RESULT|DOC|IMAGE|BASE|ROOT|DIR|URL|API|REPO|PROJECT|WORK|BUILD|ARTIFACT|ASSET|CACHE|DB|BACKUP|KEY|CERT|JSON|CSV|SPEC|TEST|STATE|HTTP)_PATH',
  ].join('|')})$`,
);

/** Whether the value of a variable is executed, or chooses what is executed. */
export const isCodeVariable = (name: string): boolean => CODE_VARIABLE.test(name) && !DATA_VARIABLE.test(name);

// ---- options ----------------------------------------------------------------------------------------

/**
 * A program, or several, and its options. `--x` takes `--x VALUE` and `--x=VALUE`; `-x` also `-xVALUE`, and as the last of
 * several letters. A word that ends in `=`, `:` or `+` is the beginning of an operand.
 */
const OPTIONS = `
tar bsdtar gtar: --to-command --checkpoint-action --use-compress-program -I --rsh-command --rmt-command --info-script --new-volume-script -F
cpio: --rsh-command
zip: -TT --unzip-command
sort: --compress-program
split: --filter
rsync: -e --rsh --rsync-path
ssh scp sftp: -o -F
scp sftp: -S
wget: --use-askpass -e --execute --config
curl: -K --config
make gmake: -f --file --makefile --eval -E
vim vi nvim view ex gvim vimdiff: -c --cmd -S -u -U +
emacs: --eval -eval --execute -l --load -f --funcall
emacsclient: --eval -e
less: + -k --lesskey-src --lesskey-content
more most: +
man: -P --pager -H --html
nano: --speller -s --rcfile
git: --exec-path --git-dir --upload-pack --receive-pack --exec --extcmd --open-files-in-pager --smtp-server --sendmail-cmd --to-cmd --cc-cmd --header-cmd --tree-filter --index-filter --msg-filter --env-filter --commit-filter --parent-filter --tag-name-filter
hg: --config -e --ssh --remotecmd
svn: --config-option --config-dir --diff-cmd --diff3-cmd --editor-cmd
strace ltrace: -E
gdb lldb: -ex -iex --eval-command --init-eval-command -x --command -ix --init-command -o
gcc g++ cc c++ clang clang++: -wrapper -B -fplugin= -specs= -Xclang
ld ar nm: --plugin -plugin
go: -toolexec -exec -vettool -overlay
cargo: --config
rustc: linker= -Clinker= link-arg=
npm yarn pnpm: --script-shell --node-options --git --call
npx: -c --call --node-options
node nodejs bun: -r --require --import --loader --experimental-loader
perl: -I -M -m -d:
ruby: -r -I
python python2 python3: -m
java: -javaagent: -agentpath: -agentlib: -XX:OnError= -XX:OnOutOfMemoryError= -cp -classpath --class-path @
gradle gradlew: -I --init-script
docker podman nerdctl: --entrypoint --config
kubectl oc: --kubeconfig
helm: --post-renderer --kubeconfig
ansible: -a --args
ansible-playbook: --module-path -M
openssl: -engine -provider-path
gpg: --agent-program --dirmngr-program --photo-viewer --options --homedir
socat: EXEC: SYSTEM: SHELL: exec: system: shell:
nc ncat netcat: -e -c --exec --sh-exec --lua-exec
tcpdump: -z
nmap: --script
pandoc: -F --filter -L --lua-filter --pdf-engine
apt apt-get aptitude: -o --option -c --config-file
dpkg: --pre-invoke --post-invoke
rpm rpmbuild: --eval -E --define -D --pipe --rcfile
xterm rxvt urxvt gnome-terminal konsole alacritty kitty foot: -e --command
screen: -X
hyperfine: -p --prepare -s --setup -c --cleanup -C --conclude --reference -S --shell
nodemon: --exec -x
Rscript R julia octave elixir erl osascript groovy gnuplot ghc clojure racket tsx ts-node iex mix: -e --eval -eval -E
mongo mongosh: --eval
sbcl: --eval --load
swipl: -g -t
ipython ipython3 sage nu xonsh elvish: -c
scala scala-cli kotlin swift crystal: -e --eval
entr: -s
guile: -c -e -l
dtrace bpftrace: -c -e
blender: --python-expr --python -P
gs: -c
inkscape: --actions
gawk: -i --include -l --load -E --exec
bat delta ag ack: --pager
rg: --pre
fzf: --preview --bind
fd fdfind: -x -X --exec --exec-batch
pytest: -p
mocha: -r --require
prettier: --plugin
eslint: --rulesdir --plugin
mpv: --script --scripts
msmtp: --passwordeval
mutt neomutt: -e
lftp: -e -c
sendmail: -C
gcloud: --command
az: --scripts
fly flyctl: -C --command
start-stop-daemon: --exec -x --startas -a
sg forever: -c
hash: -p
bash sh zsh: --rcfile --init-file
pwsh powershell: -c -Command -command -EncodedCommand
tclsh wish expect: -c
m4: -D --define
sqlite3: -cmd -init
`;

/** Their first operand ends the options: what follows is for a script. */
const INTERPRETERS = new Set(words('node nodejs bun perl ruby python java npx Rscript expect tclsh nodemon'));

/** Programs that run what follows: words after the program, and how many operands come before the command. */
const RUNNERS = `
npx | bunx | pnpx | uvx | ssh-agent | npm exec | npm x | pnpm exec | pnpm dlx | yarn exec | yarn dlx | pipx run | uv run | poetry run
pipenv run | hatch run | pdm run | bundle exec | rbenv exec | pyenv exec | direnv exec 1 | git bisect run | git submodule foreach
ip netns exec 1 | docker exec 1 | podman exec 1 | nerdctl exec 1 | docker compose exec 1 | docker-compose exec 1 | podman-compose exec 1
docker container exec 1 | kubectl exec 1 | oc exec 1 | oc rsh 1 | lxc exec 1 | incus exec 1 | machinectl shell 1 | tmux run-shell | tmux if-shell
vagrant ssh -c | conda run | nvm exec 1 | asdf exec | mise exec | nix-shell --run | nix-shell --command | cargo watch -x | cargo watch -s | entr
hyperfine | concurrently | screen | tmux new | tmux new-session | tmux new-window | tmux neww | tmux split-window | tmux splitw
tmux respawn-pane | tmux respawn-window | tmux run
rlwrap | unbuffer | pkexec | perf stat | perf record | perf trace | kubectl run 9 | kubectl debug 9 | guix shell 9 | gnome-terminal 9 | mosh 9
`;

/** Options with a value of programs above. */
const VALUED = new Set(
  words(
    '-e --env -w --workdir -u --user -c --container -n --namespace -p --package --index --detach-keys --env-file -s --shell --with --python --name -L',
  ),
);

/** Options with a value of programs whose options mean something else than those of others. */
const OWN_VALUED: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['tmux', new Set(words('-c -e -F -f -n -s -t -x -y -l -p'))],
  ['screen', new Set(words('-S -t -c -e -h -s -T -p'))],
  [
    'hyperfine',
    new Set(
      words(
        '-w --warmup -m --min-runs -M --max-runs -r --runs -p --prepare -s --setup -c --cleanup -C --conclude --reference -S --shell --style --sort -u --time-unit --export-json --export-csv --export-markdown --export-asciidoc --export-orgmode --output --input -n --command-name',
      ),
    ),
  ],
  ['concurrently', new Set(words('-n --names -c --prefix-colors -p --prefix -m --max-processes -s --success'))],
]);

interface CodeOptions {
  readonly long: readonly string[];
  readonly letters: ReadonlySet<string>;
  readonly beginnings: readonly string[];
}

interface Tables {
  readonly options: ReadonlyMap<string, CodeOptions>;
  readonly runners: ReadonlyMap<string, readonly { readonly steps: readonly string[]; readonly operands: number }[]>;
}

let known: Tables | null = null;

/** Read when a text with a value is checked. */
function tables(): Tables {
  known ??= { options: readOptions(), runners: readRunners() };
  return known;
}

function readOptions(): Tables['options'] {
  const options = new Map<string, CodeOptions>();
  for (const line of OPTIONS.trim().split('\n')) {
    const [programs = '', names = ''] = line.split(/: (.*)/s);
    const all = words(names);
    const one: CodeOptions = {
      letters: new Set(all.flatMap((name) => (/^-\w$/.test(name) ? [name.slice(1)] : []))),
      long: all.filter((name) => /^-.{2,}$/.test(name)),
      beginnings: all.filter((name) => !name.startsWith('-')),
    };
    for (const program of words(programs)) options.set(program, merge(options.get(program), one));
  }
  return options;
}

function merge(one: CodeOptions | undefined, other: CodeOptions): CodeOptions {
  if (one === undefined) return other;
  return {
    letters: new Set([...one.letters, ...other.letters]),
    long: [...one.long, ...other.long],
    beginnings: [...one.beginnings, ...other.beginnings],
  };
}

function readRunners(): Tables['runners'] {
  const runners = new Map<string, { steps: readonly string[]; operands: number }[]>();
  for (const line of RUNNERS.split(/[|\n]/)) {
    const [program, ...rest] = words(line);
    if (program === undefined) continue;
    const operands = Number(/^\d$/.exec(rest.at(-1) ?? '')?.[0] ?? 0);
    const steps = rest.filter((step) => !/^\d$/.test(step));
    runners.set(program, [...(runners.get(program) ?? []), { steps, operands }]);
  }
  return runners;
}

/** A value that a program takes as code, and what takes it. */
interface TakenValue {
  readonly hole: LexedHole;
  readonly by: string;
}

/** The values among the arguments of a program that it runs, or that choose what it runs. */
export function valuesTaken(name: string, args: readonly Word[]): TakenValue[] {
  if (args.every(({ holes }) => holes.length === 0)) return [];
  const { options } = tables();
  const usual = /^python[\d.]+$/.test(name) ? 'python' : name;
  const own = options.get(usual);
  const taken = own === undefined ? [] : optionValues(name, own, INTERPRETERS.has(usual) ? optionsIn(args) : args);
  if (name === 'git') taken.push(...gitValues(args));
  if (name === 'make' || name === 'gmake') taken.push(...makeVariables(args));
  return taken;
}

/** Values of these options are no operands. */
const BEFORE_SCRIPT =
  /^-[WXcepIMrCEm]$|^-(?:cp|classpath)$|^--(?:require|import|loader|experimental-loader|class-path|conditions|exec)$/;

/** The words before the script that an interpreter runs. */
function optionsIn(args: readonly Word[]): readonly Word[] {
  const script = args.findIndex(({ text }, at) => !/^[-@]/.test(text) && !BEFORE_SCRIPT.test(args[at - 1]?.text ?? ''));
  return script < 0 ? args : args.slice(0, script);
}

/** Settings of ssh that run a program; others are data. */
const SSH_SETTING = /(?:Command|Provider|XAuthLocation|Include|Match)/i;

function optionValues(name: string, { long, letters, beginnings }: CodeOptions, args: readonly Word[]): TakenValue[] {
  const taken: TakenValue[] = [];
  const take = (word: Word | undefined, from: number, option: string): void => {
    const isData =
      option === '-o' && /^(?:-o)?[A-Za-z]+[= ]/.test(word?.text ?? '') && !SSH_SETTING.test(word?.text ?? '');
    if (isData && /^(?:ssh|scp|sftp)$/.test(name)) return;
    for (const hole of word?.holes ?? []) if (hole.offset >= from) taken.push({ hole, by: `${name} ${option}` });
  };
  let isOperand = false;
  args.forEach((word, at) => {
    const { text } = word;
    isOperand ||= text === '--';
    const beginning = beginnings.find((one) => text.startsWith(one));
    if (beginning !== undefined) take(word, beginning.length, beginning);
    if (isOperand || !text.startsWith('-')) return;
    const option = long.find((one) => text === one || text.startsWith(`${one}=`) || text.startsWith(one + HOLE));
    const isPrefix = option !== undefined && /[=:]$/.test(option);
    if (option !== undefined && text === option && !isPrefix) take(args[at + 1], 0, option);
    else if (option !== undefined) take(word, option.length, option);
    else {
      const letter = [...letters].find(
        (one) => text[1] === one || new RegExp(`^-[A-Za-z]*${one}(?:$|=?${HOLE})`).test(text),
      );
      if (letter === undefined) return;
      if (word.holes.length > 0) take(word, 2, `-${letter}`);
      else if (text.endsWith(letter)) take(args[at + 1], 0, `-${letter}`);
    }
  });
  return taken;
}

/** Settings of git that name a program or a file with settings. */
const GIT_SETTING =
  /^(?:alias|pager|include|includeif|browser|man|difftool|mergetool|guitool|filter|credential|sendemail|imap|instaweb|trailer|uploadpack|protocol|hook)\.|^(?:core\.(?:pager|editor|sshcommand|fsmonitor|hookspath|gitproxy|askpass|alternaterefscommand|worktree)|sequence\.editor|interactive\.difffilter|gpg\.(?:.*\.)?(?:program|defaultkeycommand)|diff\.(?:external|.*\.(?:command|textconv))|merge\.(?:tool|.*\.driver)|tar\..*\.command|remote\..*\.(?:uploadpack|receivepack|vcs)|submodule\..*\.update|init\.templatedir|web\.browser|help\.browser)$/i;

/** Whether a setting, of which a value may be a part, runs something or may be one that does. */
function isCodeSetting(key: string): boolean {
  const parts = key.split('.');
  return parts[0]?.includes(HOLE) === true || parts.at(-1)?.includes(HOLE) === true || GIT_SETTING.test(key);
}

/** Options that only some commands of git take as code. */
const GIT_OPTIONS: readonly (readonly [string, RegExp])[] = [
  ['rebase', /^-x$|^--exec$/],
  ['difftool', /^-x$/],
  ['grep', /^-O$/],
  ['clone', /^-u$|^--template$/],
  ['init', /^--template$/],
];

/** `git -c KEY=VALUE`, `git config KEY VALUE`, and options of commands. */
function gitValues(args: readonly Word[]): TakenValue[] {
  const taken: TakenValue[] = [];
  const note = (word: Word | undefined, by: string): void => {
    for (const hole of word?.holes ?? []) taken.push({ hole, by: `git ${by.replaceAll(HOLE, '…')}` });
  };
  args.forEach((word, at) => {
    const isPair = /^(?:-c|--config)$/.test(args[at - 1]?.text ?? '');
    const text = word.text.startsWith('--config=') ? word.text.slice('--config='.length) : isPair ? word.text : null;
    if (text === null) return;
    const key = /^[^=]*/.exec(text)?.[0] ?? '';
    if (isCodeSetting(key)) note(word, `-c ${key}`);
  });
  const config = args.findIndex((word) => exactText(word) === 'config');
  const pair = config < 0 ? [] : args.slice(config + 1).filter(({ text }) => !text.startsWith('-'));
  const [key, ...values] = pair;
  if (key !== undefined && values.length > 0 && isCodeSetting(key.text))
    for (const word of pair) note(word, `config ${key.text}`);
  for (const [command, option] of GIT_OPTIONS) {
    if (!args.some((word) => exactText(word) === command)) continue;
    args.forEach((word, at) => {
      const name = /^--[\w-]*|^-./.exec(word.text)?.[0] ?? '';
      if (!option.test(name)) return;
      if (word.text === name) note(args[at + 1], `${command} ${name}`);
      else note(word, `${command} ${name}`);
    });
  }
  return taken;
}

/** Variables of make that choose its shell, or that programs of its rules read. */
function makeVariables(args: readonly Word[]): TakenValue[] {
  return args.flatMap(({ text, holes }) => {
    const name = /^(\.?[A-Za-z_]\w*)[:?+]*=/.exec(text)?.[1];
    const isCode = name !== undefined && (/^\.?SHELL(?:FLAGS)?$/.test(name) || isCodeVariable(name));
    return isCode ? holes.map((hole) => ({ hole, by: `make ${name}=` })) : [];
  });
}

/** The word of a command that a program such as `docker exec` runs; null: it runs none. */
export function commandIn(name: string, args: readonly Word[]): Word | null {
  const valued = OWN_VALUED.get(name) ?? VALUED;
  for (const { steps, operands } of tables().runners.get(name) ?? []) {
    let at = 0;
    for (const step of steps) {
      at = args.findIndex((word, index) => index >= at && exactText(word) === step) + 1;
      if (at === 0) break;
    }
    if (at === 0 && steps.length > 0) continue;
    for (let left = operands; at < args.length; at++) {
      const { text } = args[at] as Word;
      if (text === '--') return args[at + 1] ?? null;
      if (/^-./.test(text)) at += valued.has(text) ? 1 : 0;
      else if (left-- === 0) return args[at] ?? null;
    }
  }
  return null;
}
