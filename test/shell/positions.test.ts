/** Which positions in shell text are mistakes, which get a warning, and which are neither. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell texts
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { diagnosticsOf, findings } from './run-script.js';

const unsafe = [
  'echo $(( {v} + 1 ))',
  'echo "$(( x + {v} ))"',
  'echo $[ {v} ]',
  '(( {v} > 1 ))',
  'for (( i = 0; i < {v}; i++ )); do :; done',
  'let x={v}',
  'let "x = {v}"',
  '[[ {v} -eq 1 ]]',
  '[[ -n x && 1 -lt {v} ]]',
  '[[ (-v {v}) ]]',
  '[[ x =~ y&&-v {v} ]]',
  '[[ x =~ (a|b)&&-v {v} ]]',
  'echo ${x:-{v}}',
  'echo "${x#{v}}"',
  'echo ${a[{v}]}',
  'a[{v}]=1',
  'a["{v}"]=1',
  'a[{v}]+=1 true',
  'a=([{v}]=1)',
  'eval {v}',
  'eval "echo {v}"',
  "trap 'rm {v}' EXIT",
  'trap {v} EXIT',
  "sh -c 'echo {v}'",
  'bash -c "echo {v}"',
  '/bin/bash -ec {v}',
  'bash -o pipefail -c {v}',
  'bash -c -e -- {v}',
  '"$SHELL" -c {v}',
  'sudo -u bob bash -lc {v}',
  'env A=1 sh -c {v}',
  "docker exec box sh -c 'ls {v}'",
  "xargs -n 1 sh -c 'echo {v}'",
  "find . -exec sh -c 'echo {v}' \\;",
  'find . -exec {v} {} +',
  'su bob -c {v}',
  'flock lock -c "x {v}"',
  'sh <<EOF\necho {v}\nEOF',
  'bash -s a <<< {v}',
  'docker exec -i box sh -e <<EOF\nls {v}\nEOF',
  '{v}',
  '{v} argument',
  '"{v}" argument',
  './bin/{v}.sh',
  'a | {v}',
  'a && {v}',
  'if {v}; then :; fi',
  '! {v}',
  'time {v}',
  'X=1 {v}',
  '> out {v}',
  'echo $({v})',
  'echo "`{v}`"',
  'cat <({v})',
  'case x in x) {v} ;; esac',
  'f() { {v}; }',
  'exec {v}',
  'exec -a name {v}',
  'env {v}',
  'env -i -u X A=1 {v}',
  'env -S {v}',
  'sudo {v}',
  'sudo -u bob {v}',
  'nohup {v}',
  'command {v}',
  'builtin {v}',
  'timeout 5 {v}',
  'nice -n 5 {v}',
  'xargs {v}',
  'xargs -n 1 {v}',
  'sudo env X=1 nohup {v}',
  'PATH={v} ls',
  'PATH="{v}:$PATH"',
  'IFS={v}',
  'PS4={v}',
  'BASH_ENV={v} bash x.sh',
  'ENV={v} sh x.sh',
  'LD_PRELOAD={v} ls',
  'export PATH={v}',
  'env LD_LIBRARY_PATH={v} ls',
  'cat >&{v}',
  'cat >& {v}',
  'cat 2>&{v}',
  'cat <&{v}',
  'printf -v {v} x',
  'printf -v{v} x',
  'read {v}',
  'read -r {v} < file',
  'mapfile -t {v} < file',
  'getopts {v} x',
  'declare {v}',
  'declare {v}=1',
  'declare x={v}',
  'declare -a x=({v})',
  'typeset x={v}',
  'f() { local x={v}; }',
  'export {v}',
  'readonly -a x={v}',
  'unset {v}',
  '[ -v {v} ]',
  'test -v "a[{v}]"',
  '[[ -v {v} ]]',
  '[ {v} {w:int} ]',
  'wait -p {v}',
  'declare -i n; n={v}',
  'RANDOM={v}',
  'for SECONDS in {v}; do :; done',
  'sh - <<< {v}',
  '. /dev/stdin <<< {v}',
  'for {v} in a b; do :; done',
  'GIT_EXTERNAL_DIFF={v} git diff',
  'export GIT_DIR={v}',
  'env EDITOR={v} crontab -e',
  'RUSTC_WRAPPER={v} cargo build',
  'JAVA_TOOL_OPTIONS="-x {v}" mvn test',
  'git -c core.pager={v} log',
  'git -c {v} log',
  'git -c "core.{v}=x" log',
  'git -c "diff.{d}.textconv={v}" log',
  'git -C dir -c alias.x="!{v}" x',
  'git config --global core.sshCommand {v}',
  'git config {v} x',
  'git --exec-path={v} log',
  'git clone --upload-pack {v} url dir',
  'git clone -u {v} url dir',
  'git clone -c core.fsmonitor={v} url',
  'git rebase -x {v} main',
  'git rebase --exec="make {v}" main',
  'git bisect run {v}',
  'git submodule foreach {v}',
  'git filter-branch --tree-filter {v}',
  'git grep -O{v} x',
  'tar --to-command={v} -xf a.tar',
  'tar cf x.tar --checkpoint-action exec={v} .',
  'tar -xI {v} -f a.tar',
  'tar -I{v} -xf a.tar',
  'make SHELL={v}',
  'make .SHELLFLAGS={v} all',
  'make CC={v}',
  'make --eval={v}',
  'vim -c {v} file',
  'vim +{v} file',
  'nvim --cmd "set x={v}"',
  'flock l {v}',
  'flock -w 5 l {v}',
  'strace {v}',
  'strace -f -o out {v}',
  'valgrind --leak-check=full {v}',
  'taskset -c 0 {v}',
  'setpriv --reuid 5 {v}',
  'systemd-run --user -p X=1 {v}',
  'busybox {v}',
  'kubectl exec p -- {v}',
  'kubectl -n ns exec p -c box -- {v}',
  'docker exec -it box {v}',
  'docker exec -e A=1 box {v} x',
  'docker compose exec web {v}',
  'docker run --entrypoint {v} image',
  'npx --yes {v}',
  'npm exec -- {v}',
  'bundle exec {v}',
  'uv run {v}',
  'ip netns exec ns {v}',
  'rsync -e {v} a b',
  'rsync -ave {v} a b',
  'rsync --rsync-path={v} a b',
  'ssh -o ProxyCommand={v} host',
  'ssh -o "LocalCommand {v}" host',
  'ssh -o {v} host',
  'ssh -oProxyCommand={v} host',
  'scp -S {v} a b',
  'sort --compress-program={v} f',
  'split --filter={v} f',
  'less +{v} f',
  'man -P {v} ls',
  'curl -K {v}',
  'wget -e {v} url',
  'find . -name x | xargs strace {v}',
  'sudo tar --to-command={v} -xf a',
  'cargo --config {v} build',
  'go build -toolexec={v} .',
  'go test -exec {v} ./...',
  'node -r {v} x.js',
  'node --require={v} x.js',
  'perl -M{v} -e 1',
  'python3 -m {v}',
  'java -javaagent:{v} Main',
  'java -cp {v} Main',
  'gcc -fplugin={v} x.c',
  'gdb -ex {v} prog',
  'socat - EXEC:{v}',
  'nc -e {v} host 1',
  'emacs --eval {v}',
  'hg --config {v} log',
  'svn --diff-cmd {v} diff',
  'apt-get -o APT::Update::Pre-Invoke::={v} update',
  'zip -T -TT {v} a.zip f',
  'hyperfine {v}',
  "hyperfine --runs 3 --prepare {v} 'sleep 1'",
  'hyperfine -w 3 {v}',
  'tmux new {v}',
  'tmux new-session -d -s x {v}',
  'tmux split-window -t x {v}',
  'screen -S x -dm {v}',
  'concurrently -n a {v}',
  'PYTEST_PLUGINS={v} pytest',
  'CONFIG_SITE={v} ./configure',
  'env FLASK_APP={v} flask run',
  'export R_LIBS={v}; Rscript x.R',
  'KUBECTL_EXTERNAL_DIFF={v} kubectl diff -f x',
  'gawk --include={v} f',
  'groovy -e {v}',
  'mongosh --eval={v}',
  'guile -c {v}',
  'bat --pager {v} f',
  'rg --pre {v} x',
  'fzf --preview {v}',
  'fd . -x {v}',
  'pytest -p {v}',
  'mocha --require {v}',
  'prettier --plugin={v} f',
  'lftp -e {v} host',
  'mutt -e {v}',
  'gcloud compute ssh host --command={v}',
  'start-stop-daemon --start --exec {v}',
  'sg group -c {v}',
  'hash -p {v} ls',
  'bash --rcfile {v} -i',
  'alacritty -e {v}',
  'rlwrap {v}',
  'sshpass -p x {v}',
  'kubectl run x --image=i -- {v}',
  'mosh host -- {v}',
  // The program that a wrapper starts is behind all of its options, their values and its operands.
  'exec -a name {v}',
  'env -u A --unset B -C / --chdir / C=1 {v}',
  'sudo -u a -g b -h c -p d -C 3 -r e -t f -T 1 -U g -D / -R / --user a --group b --chdir / A=1 {v}',
  'doas -u a -C f {v}',
  'nice -n 5 --adjustment 5 {v}',
  'ionice -c 2 -n 0 --class 2 --classdata 0 {v}',
  'timeout -s INT --signal INT -k 1 --kill-after 1 5 {v}',
  'stdbuf -i 0 -o L -e L --input 0 --output L --error L {v}',
  '/usr/bin/time -o f -f x --output f --format x {v}',
  'chroot / {v}',
  'strace -a 1 -b x -e open -E A=1 -I 1 -o f -O 1 -p 1 -P / -s 1 -S time -u a -U x -X raw -w -x -n {v}',
  'ltrace -a 1 -A 1 -D 1 -e open -F a -l x -n 1 -o f -p 1 -s 1 -u a -w 1 -x x -S {v}',
  'flock -w 1 --timeout 1 -E 1 --conflict-exit-code 1 lock {v}',
  'taskset 1 timeout 5 {v}',
  'unshare -S 0 -G 0 -R / -w / {v}',
  'nsenter -t 1 -S 0 -G 0 {v}',
  'setpriv --reuid a --regid b --groups c --inh-caps d --bounding-set e --securebits f --selinux-label g {v}',
  'runuser -u a -g b -G c {v}',
  'systemd-run -p a -u b -M c -H d -E A=1 --unit e --property f --uid g --gid h --setenv A=1 {v}',
  'xvfb-run -n 1 -s a -e f -f f -p x -w 1 {v}',
  'faketime yesterday {v}',
  'proxychains -f f {v}',
  'proxychains4 -f f {v}',
  'cpulimit -l 50 -p 1 -e a {v}',
  'cross-env A=1 {v}',
  'dotenv -e f -f f {v}',
  'caffeinate -t 1 -w 1 {v}',
  'setarch x86_64 {v}',
  'xargs -I x -n 1 -P 1 -L 1 -d x -s 1 -E x -a f --max-args 1 --max-procs 1 --max-lines 1 --delimiter x --arg-file f --replace x {v}',
];

const warned: [string, string][] = [
  ['make VERSION={v} all', 'unsafe-program'],
  ["awk '/{v}/' file", 'unsafe-program'],
  ['awk -F: "{v}" file', 'unsafe-program'],
  ["sed -n 's/{v}/x/p' file", 'unsafe-program'],
  ['sed -i -e s/{v}/x/ file', 'unsafe-program'],
  ["jq -r '.{v}' file", 'unsafe-program'],
  ["python3 -c 'print({v})'", 'unsafe-program'],
  ['python3 - <<EOF\nprint("{v}")\nEOF', 'unsafe-program'],
  ["node -e 'x({v})'", 'unsafe-program'],
  ['perl -ne "{v}"', 'unsafe-program'],
  ["gawk '/{v}/' file", 'unsafe-program'],
  ["mawk '/{v}/' file", 'unsafe-program'],
  ["nawk '/{v}/' file", 'unsafe-program'],
  ["awk --source '{v}'", 'unsafe-program'],
  ['sed --expression=s/{v}/x/ file', 'unsafe-program'],
  ["yq '.{v}' file", 'unsafe-program'],
  ["python3.12 -W error -c 'print({v})'", 'unsafe-program'],
  ["nodejs -e 'x({v})'", 'unsafe-program'],
  ["bun -e 'x({v})'", 'unsafe-program'],
  ["node -r x -p 'x({v})'", 'unsafe-program'],
  ["node --eval 'x({v})'", 'unsafe-program'],
  ["node --print 'x({v})'", 'unsafe-program'],
  ['node --import x <<EOF\nx({v})\nEOF', 'unsafe-program'],
  ["perl -E 'x({v})'", 'unsafe-program'],
  ["perl -e 1 -E 'x({v})'", 'unsafe-program'],
  ["ruby -e 'x({v})'", 'unsafe-program'],
  ["php -r 'x({v});'", 'unsafe-program'],
  ["lua -e 'x({v})'", 'unsafe-program'],
  ["psql --command='select {v}'", 'unsafe-program'],
  ["mysql --execute='select {v}'", 'unsafe-program'],
  ["mariadb -e 'select {v}'", 'unsafe-program'],
  ["mariadb -u me --execute='select {v}' db", 'unsafe-program'],
  ['ssh host ls {v}', 'unsafe-program'],
  ['ssh -p 22 host "ls {v}"', 'unsafe-program'],
  ['ssh host <<EOF\nls {v}\nEOF', 'unsafe-program'],
  ['ssh host bash -s <<< {v}', 'unsafe-program'],
  ['watch -n 1 ls {v}', 'unsafe-program'],
  ['parallel echo {v} ::: a', 'unsafe-program'],
  ['hyperfine "grep x {v}"', 'unsafe-program'],
  ["hyperfine -L n {v} 'sleep n'", 'unsafe-program'],
  ["hyperfine 'sleep 1' {v}", 'unsafe-program'],
  ['tmux new -d "vim {v}"', 'unsafe-program'],
  ['bash {v}', 'unsafe-program'],
  ['sh -e -o pipefail {v:path}', 'unsafe-program'],
  ['awk -f {v} file', 'unsafe-program'],
  ['sed -n -f {v} file', 'unsafe-program'],
  ['jq --from-file {v} file', 'unsafe-program'],
  ['psql -c "select {v}"', 'unsafe-program'],
  ['mysql -e "select {v}"', 'unsafe-program'],
  ['printf {v}', 'unsafe-program'],
  ['printf "a {v}\\n" x', 'unsafe-program'],
  ['. {v}', 'unsafe-program'],
  ['x={v}; echo $((x + 1))', 'unsafe-program'],
  ['x={v}; [[ $x -gt 1 ]]', 'unsafe-program'],
  ['x={v}; eval "$x"', 'unsafe-program'],
  ['read x <<< {v}; eval "$x"', 'unsafe-program'],
  ['x={v}; trap "$x" EXIT', 'unsafe-program'],
  ['x={v}; $x', 'unsafe-program'],
  ['x={v}; unset "$x"', 'unsafe-program'],
  ['y=x; x={v}; echo ${!y}', 'unsafe-program'],
  // What a script of another shell inherits: what is exported, given, or set for it.
  ['export x={v}; sh -c \'eval "$x"\'', 'unsafe-program'],
  ['x=1; x={v}; export x; sh -c \'eval "$x"\'', 'unsafe-program'],
  ['x={v} sh -c \'eval "$x"\'', 'unsafe-program'],
  ['x={v}; y=$x sh -c \'eval "$y"\'', 'unsafe-program'],
  ['sh -c \'eval "$1"\' sh {v}', 'unsafe-program'],
  ['sh -c \'eval "$@"\' sh {v}', 'unsafe-program'],
  ['sh -c \'eval "$0"\' {v}', 'unsafe-program'],
  ['eval `cat <<E\n{v}\nE\n`', 'unsafe-program'],
  ['`cat <<E\n{v}\nE\n` x', 'unsafe-program'],
  ['x=`cat <<E\n{v}\nE\n`; eval "$x"', 'unsafe-program'],
  ['rm {v}', 'may-be-read-as-option'],
  ['rm "{v}/x"', 'may-be-read-as-option'],
  ['git checkout {v}', 'may-be-read-as-option'],
  ['sudo -u bob tar {v}', 'may-be-read-as-option'],
  ['xargs -0 grep {v}', 'may-be-read-as-option'],
  ['python3 {v}', 'may-be-read-as-option'],
  // Behind options that take no value, a value is an operand.
  ['rm -rRfivdI --force --recursive --dir --verbose {v}', 'may-be-read-as-option'],
  ['cp -aRrfnipuvdlLPx {v}', 'may-be-read-as-option'],
  ['mv -fnivu {v}', 'may-be-read-as-option'],
  ['mkdir -pv {v}', 'may-be-read-as-option'],
  ['rmdir -pv {v}', 'may-be-read-as-option'],
  ['ln -sfnvirLP {v}', 'may-be-read-as-option'],
  ['touch -acm {v}', 'may-be-read-as-option'],
  ['cat -AbeEnstTuv {v}', 'may-be-read-as-option'],
  ['ls -aAlhtrRdF1 {v}', 'may-be-read-as-option'],
  ['grep -qivnrRlcowxsEFPhH {v}', 'may-be-read-as-option'],
  ['sort -nrubfgV {v}', 'may-be-read-as-option'],
  ['wc -clmwL {v}', 'may-be-read-as-option'],
  ['chmod -Rvf {v}', 'may-be-read-as-option'],
  ['chown -Rvf {v}', 'may-be-read-as-option'],
  ['gzip -kfdvr19 {v}', 'may-be-read-as-option'],
  ['gunzip -kfv {v}', 'may-be-read-as-option'],
  ['git add -fDdAqv --force --hard --soft --all --quiet --staged {v}', 'may-be-read-as-option'],
  ['rm {files*}', 'may-be-read-as-option'],
  ['echo raw({v})', 'raw-splice'],
  ['./x.py update t1 complete|blocked', 'choice-word'],
  ['./x.py update t1 complete|blocked|failed --note x', 'choice-word'],
];

const fine = [
  'tool=git; "$tool" -c {v}',
  'git -c user.name={v} -c user.email="{v}@x" commit -m {v}',
  'git -c http.extraHeader="A: {v}" fetch',
  'git -c "url.https://{v}@x/.insteadOf=https://x/" fetch',
  'git -c "branch.{v}.description=x" log',
  'git config user.name -- {v}',
  'git config --get {v}',
  'GIT_AUTHOR_NAME={v} GIT_COMMITTER_DATE={v} git commit',
  'NAME={v} OUT_PATH={v} GIT_BRANCH={v} PYTHONHASHSEED={v} RUBY_VERSION={v} tool',
  'tar -cf {v} -C {v} .',
  'tar --exclude={v} -xf a.tar',
  'VERSION={v} make all',
  'make -C {v} all',
  'vim -- {v}',
  'flock {v} make',
  'strace -o {v} make',
  'kubectl exec pod -- ls -l {v}',
  'kubectl -n {v} get pods',
  'docker exec -it {v} ls',
  'docker exec -w {v} box ls',
  'docker run --name {v} image',
  'npx cowsay -- {v}',
  "hyperfine --runs {v} 'sleep 1'",
  'tmux new -d -s {v} -c {v} htop',
  'tmux kill-session -t {v}',
  'awk -v x={v} -f p.awk f',
  'mutt -c {v} a@example.org',
  'pytest -k {v}',
  'fd -e {v}',
  'sshpass -p {v} ssh host ls',
  'start-stop-daemon --start --pidfile {v} --exec /bin/x',
  'bash -- {v} a',
  'bash {v}/x.sh',
  'bash x.sh {v}',
  'bash -c \'echo "$1"\' bash {v}',

  'uv run tool.py -m {v}',
  'rsync -av -- {v} b',
  'ssh -o ConnectTimeout={v} host',
  'ssh -i {v} host',
  'python3 -m pytest -k {v}',
  'python3 tool.py -m {v}',
  'node tool.js -r {v}',
  'npm run build -- -c {v}',
  'curl -o {v} url',
  'curl -H "A: {v}" url',
  'less -N -- {v}',
  'sort -k {v} f',
  'find . -name {v}',
  'java -jar app.jar -cp {v}',
  'go build -o {v} .',
  'go test -run {v} ./...',
  'gcc -o {v} x.c',
  'gdb -p {v}',
  'cargo run -- {v}',
  'psql -d {v}',
  'echo {v}',
  "printf '%s' {v}",
  'printf -- "%s" {v}',
  'tool {v}',
  'rm -- {v}',
  'python3 tool.py {v}',
  'rm -rf -- {v}',
  'rm {v:path}',
  'head {n:int}',
  'git commit -m {v}',
  'git log --author={v}',
  '[ {v} = x ]',
  '[ -n "{v}" ] && [ {n} -gt 1 ]',
  '[[ {v} == x* && -n {w} ]]',
  'case {v} in {p}|x) echo {v} ;; (b) : ;; esac',
  'for x in {list*} {v}; do echo "$x"; done',
  'x={v} y="{w}" tool',
  'export X={v}; readonly Y={v}',
  'a=({v} [2]={w} {list*})',
  'cat < {f} > {g} 2>&1',
  'cat &> {f}',
  'read -r x <<< {v}',
  'command -v {v}',
  'timeout {seconds} make',
  'sudo -u {user} make',
  'sh -c \'echo "$1"\' sh {v}',
  'sh script.sh -c {v}',
  'bash -s {v} <<\'EOF\'\necho "$1"\nEOF',
  'trap cleanup {signal}',
  'echo sh -c {v}',
  "jq --arg x {v} '.a == $x' file",
  'x={v}; n=$((n + 1))',
  'x={v}; sh -c \'eval "$x"\'',
  'y={v}; x=1 sh -c \'eval "$x"; eval "$y"\'',
  'set -- {v}; sh -c \'eval "$1"\' sh y',
  'sh -c \'eval "$2"\' sh {v} y',
  'echo `cat <<E\n{v}\nE\n`',
  'f() { local y="$x"; }; x={v}; f',
  'x={v:int}; echo $((x + 1))',
  'echo $(( {n:int} + 1 )) ${a[{n:int}]}; let x={n:int}; [[ {n:int} -gt 1 ]]; a[{n:int}]=1',
  'cat >&{n:int}',
  'f() { local x; x={v}; echo "$x"; }; f {v}',
  'ssh host "cat > file" <<< {v}',
  "python3 -c 'import sys' {v}",
  'docker exec -i box tee file <<< {v}',
  'cat x|grep y',
  'cat x|while read -r l; do :; done',
  'cat file|sort|uniq -c',
  "echo 'complete|blocked'",
  'case $x in complete|blocked) : ;; esac',
  '[[ $x =~ ^(a|{v})$ ]]',
  "# don't {v} (( {v} )) ${x:-{v}}",
  "echo a # it's {v}",
  'while read -r l; do echo "$l {v}"; done < {f}',
  'cat < <(sort -- {v})',
  "awk '{print $1}' < file; echo {v}",
];

describe('places of values', () => {
  it.each(unsafe)('%s is an unsafe position', (text) => {
    const found = findings(text).filter((line) => line.includes('{v}'));
    expect(found).toContain('unsafe-position «{v}»');
  });

  it.each(warned)('%s is the warning %s', (text, code) => {
    expect(findings(text).map((line) => line.replace(/^\((\S+).*$/, '$1'))).toEqual([code]);
  });

  it.each(fine)('%s is neither', (text) => {
    expect(findings(text)).toEqual([]);
  });

  it('warns of options of every external program with strict', () => {
    expect(findings('tool {v}', { strict: true })).toEqual(['(may-be-read-as-option «{v}»)']);
    expect(
      findings(`sh -c 'echo "$1"' sh {v}; tool -- {v}; tool -x {v}; echo {v}; f() { :; }; f {v}`, { strict: true }),
    ).toEqual([]);
  });

  it('mends arithmetic with `:int`, and says what to write elsewhere', () => {
    const [diagnostic] = diagnosticsOf('echo $(( {v} ))');
    expect(diagnostic?.correction?.text).toBe('{v:int}');
    expect(diagnosticsOf("sh -c 'echo {v}'")[0]?.help).toContain(`sh -c 'echo "$1"' sh {v}`);
    const passed = {
      "gawk '{v}' f": 'v={v} awk',
      "mawk '{v}' f": 'v={v} awk',
      'make a={v}': 'v={v} make',
      "jq '{v}' f": 'jq --arg v {v}',
      "python3.12 -c '{v}'": "sys.argv[1] …' {v}",
      "nodejs -e '{v}'": 'node -e',
      "perl -e '{v}'": "$ARGV[0] …' -- {v}",
      "ruby -e '{v}'": "… ARGV[0] …' -- {v}",
      "yq '{v}' f": 'keep the program of `yq` fixed',
    };
    for (const [text, help] of Object.entries(passed)) expect(diagnosticsOf(text)[0]?.help).toContain(help);
    for (const text of unsafe)
      for (const { help, severity } of diagnosticsOf(text)) expect(help, severity).toBeTruthy();
  });
});

/** The words of all messages about the texts above, each once, without the names and the code in them. */
it('says why, and what to write instead', () => {
  const said = new Set<string>();
  for (const text of [...unsafe, ...warned.map(([one]) => one)])
    for (const { code, message, help } of diagnosticsOf(text)) {
      const words = `${message} · ${help}`.replace(/`[^`]*`/g, (quoted) => (/[{"'$ ]/.test(quoted) ? '`…`' : quoted));
      said.add(`${code}: ${words}`);
    }
  expect([...said].sort().join('\n')).toMatchInlineSnapshot(`
    "choice-word: \`complete|blocked\` runs as a pipe between commands · write one of the words, or quote it: \`…\`; put spaces around \`|\` for a pipe
    choice-word: \`complete|blocked|failed\` runs as a pipe between commands · write one of the words, or quote it: \`…\`; put spaces around \`|\` for a pipe
    may-be-read-as-option: \`cat\` reads \`…\` as an option when it begins with \`-\` · write \`…\`, or \`…\` for a path
    may-be-read-as-option: \`chmod\` reads \`…\` as an option when it begins with \`-\` · write \`…\`, or \`…\` for a path
    may-be-read-as-option: \`chown\` reads \`…\` as an option when it begins with \`-\` · write \`…\`, or \`…\` for a path
    may-be-read-as-option: \`cp\` reads \`…\` as an option when it begins with \`-\` · write \`…\`, or \`…\` for a path
    may-be-read-as-option: \`git\` reads \`…\` as an option when it begins with \`-\` · write \`…\` for a branch, or \`…\` for a path
    may-be-read-as-option: \`git\` reads \`…\` as an option when it begins with \`-\` · write \`…\`, or \`…\` for a path
    may-be-read-as-option: \`grep\` reads \`…\` as an option when it begins with \`-\` · write \`…\`, or \`…\` for a path
    may-be-read-as-option: \`gunzip\` reads \`…\` as an option when it begins with \`-\` · write \`…\`, or \`…\` for a path
    may-be-read-as-option: \`gzip\` reads \`…\` as an option when it begins with \`-\` · write \`…\`, or \`…\` for a path
    may-be-read-as-option: \`ln\` reads \`…\` as an option when it begins with \`-\` · write \`…\`, or \`…\` for a path
    may-be-read-as-option: \`ls\` reads \`…\` as an option when it begins with \`-\` · write \`…\`, or \`…\` for a path
    may-be-read-as-option: \`mkdir\` reads \`…\` as an option when it begins with \`-\` · write \`…\`, or \`…\` for a path
    may-be-read-as-option: \`mv\` reads \`…\` as an option when it begins with \`-\` · write \`…\`, or \`…\` for a path
    may-be-read-as-option: \`python3\` reads \`…\` as an option when it begins with \`-\` · write \`…\`, or \`…\` for a path
    may-be-read-as-option: \`rm\` reads \`…\` as an option when it begins with \`-\` · write \`…\`, or \`…\` for a path
    may-be-read-as-option: \`rmdir\` reads \`…\` as an option when it begins with \`-\` · write \`…\`, or \`…\` for a path
    may-be-read-as-option: \`sort\` reads \`…\` as an option when it begins with \`-\` · write \`…\`, or \`…\` for a path
    may-be-read-as-option: \`tar\` reads \`…\` as an option when it begins with \`-\` · write \`…\`, or \`…\` for a path
    may-be-read-as-option: \`touch\` reads \`…\` as an option when it begins with \`-\` · write \`…\`, or \`…\` for a path
    may-be-read-as-option: \`wc\` reads \`…\` as an option when it begins with \`-\` · write \`…\`, or \`…\` for a path
    raw-splice: \`…\` puts the value into the command as code · write \`…\` unless the value is meant to be part of a command
    unsafe-position: \`-v\` takes \`…\` as the name of a variable, and a name can contain a subscript that runs · write the name of the variable, or test the value in an \`IF:\`
    unsafe-position: \`.\` reads its program here, so the text of \`…\` becomes part of it · pass the value as an argument: \`…\`, and use \`…\` in the program
    unsafe-position: \`bash\` reads its program here, so the text of \`…\` becomes part of it · pass the value as an argument: \`…\`, and use \`…\` in the program
    unsafe-position: \`declare\` takes \`…\` as names or declarations, which can run commands · assign it on its own: \`…\`, without \`declare\` on that line
    unsafe-position: \`eval\` runs the text of \`…\` as a command · leave out \`eval\` and pass the value as an argument: \`…\`
    unsafe-position: \`export\` takes \`…\` as names or declarations, which can run commands · assign it on its own: \`…\`, without \`export\` on that line
    unsafe-position: \`for\` needs the name of a variable, not \`…\` · write a name: \`…\`
    unsafe-position: \`getopts\` takes \`…\` as names or declarations, which can run commands · assign it on its own: \`…\`, without \`getopts\` on that line
    unsafe-position: \`local\` takes \`…\` as names or declarations, which can run commands · assign it on its own: \`…\`, without \`local\` on that line
    unsafe-position: \`mapfile\` takes \`…\` as names or declarations, which can run commands · assign it on its own: \`…\`, without \`mapfile\` on that line
    unsafe-position: \`read\` takes \`…\` as names or declarations, which can run commands · assign it on its own: \`…\`, without \`read\` on that line
    unsafe-position: \`readonly\` takes \`…\` as names or declarations, which can run commands · assign it on its own: \`…\`, without \`readonly\` on that line
    unsafe-position: \`sh\` reads its program here, so the text of \`…\` becomes part of it · pass the value as an argument: \`…\`, and use \`…\` in the program
    unsafe-position: \`trap\` keeps the text of \`…\` and runs it as a command · assign it to a shell variable first: \`…\`
    unsafe-position: \`typeset\` takes \`…\` as names or declarations, which can run commands · assign it on its own: \`…\`, without \`typeset\` on that line
    unsafe-position: \`unset\` takes \`…\` as names or declarations, which can run commands · assign it on its own: \`…\`, without \`unset\` on that line
    unsafe-position: \`…\` can be read as an operator of \`[\` · write the operator itself: \`…\`
    unsafe-position: \`…\` is assigned to \`BASH_ENV\`, which shells or programs read as instructions · use another name, or write the value of \`BASH_ENV\` literally
    unsafe-position: \`…\` is assigned to \`CONFIG_SITE\`, which shells or programs read as instructions · use another name, or write the value of \`CONFIG_SITE\` literally
    unsafe-position: \`…\` is assigned to \`EDITOR\`, which shells or programs read as instructions · use another name, or write the value of \`EDITOR\` literally
    unsafe-position: \`…\` is assigned to \`ENV\`, which shells or programs read as instructions · use another name, or write the value of \`ENV\` literally
    unsafe-position: \`…\` is assigned to \`FLASK_APP\`, which shells or programs read as instructions · use another name, or write the value of \`FLASK_APP\` literally
    unsafe-position: \`…\` is assigned to \`GIT_DIR\`, which shells or programs read as instructions · use another name, or write the value of \`GIT_DIR\` literally
    unsafe-position: \`…\` is assigned to \`GIT_EXTERNAL_DIFF\`, which shells or programs read as instructions · use another name, or write the value of \`GIT_EXTERNAL_DIFF\` literally
    unsafe-position: \`…\` is assigned to \`IFS\`, which shells or programs read as instructions · use another name, or write the value of \`IFS\` literally
    unsafe-position: \`…\` is assigned to \`JAVA_TOOL_OPTIONS\`, which shells or programs read as instructions · use another name, or write the value of \`JAVA_TOOL_OPTIONS\` literally
    unsafe-position: \`…\` is assigned to \`KUBECTL_EXTERNAL_DIFF\`, which shells or programs read as instructions · use another name, or write the value of \`KUBECTL_EXTERNAL_DIFF\` literally
    unsafe-position: \`…\` is assigned to \`LD_LIBRARY_PATH\`, which shells or programs read as instructions · use another name, or write the value of \`LD_LIBRARY_PATH\` literally
    unsafe-position: \`…\` is assigned to \`LD_PRELOAD\`, which shells or programs read as instructions · use another name, or write the value of \`LD_PRELOAD\` literally
    unsafe-position: \`…\` is assigned to \`PATH\`, which shells or programs read as instructions · use another name, or write the value of \`PATH\` literally
    unsafe-position: \`…\` is assigned to \`PS4\`, which shells or programs read as instructions · use another name, or write the value of \`PS4\` literally
    unsafe-position: \`…\` is assigned to \`PYTEST_PLUGINS\`, which shells or programs read as instructions · use another name, or write the value of \`PYTEST_PLUGINS\` literally
    unsafe-position: \`…\` is assigned to \`RANDOM\`, which evaluates it as arithmetic · for a whole number write \`…\`, which is checked; use a variable without that attribute
    unsafe-position: \`…\` is assigned to \`RUSTC_WRAPPER\`, which shells or programs read as instructions · use another name, or write the value of \`RUSTC_WRAPPER\` literally
    unsafe-position: \`…\` is assigned to \`R_LIBS\`, which shells or programs read as instructions · use another name, or write the value of \`R_LIBS\` literally
    unsafe-position: \`…\` is assigned to \`SECONDS\`, which evaluates it as arithmetic · for a whole number write \`…\`, which is checked; use a variable without that attribute
    unsafe-position: \`…\` is assigned to \`n\`, which evaluates it as arithmetic · for a whole number write \`…\`, which is checked; use a variable without that attribute
    unsafe-position: \`…\` is inside \`…\`, where its text is read as an expression or a pattern · assign it to a shell variable first: \`…\`, then use \`…\` instead
    unsafe-position: \`…\` is inside an array subscript, which is shell arithmetic · for a whole number write \`…\`, which is checked; keep lists in the program and pass one value
    unsafe-position: \`…\` is inside shell arithmetic, where a text can run commands · for a whole number write \`…\`, which is checked; compute anything else with \`SET:\` before the command
    unsafe-position: \`…\` is the command word: it chooses the program that runs · write the name of the program, or choose between commands with \`IF:\`
    unsafe-position: \`…\` names the variable that \`printf\` sets, and a name can contain a subscript that runs · write the name of the variable, and keep the value separate from it
    unsafe-position: \`…\` names the variable that \`wait\` sets, and a name can contain a subscript that runs · write the name of the variable, and keep the value separate from it
    unsafe-position: \`…\` runs \`…\`, or takes it as the choice of what runs · write that part literally, and pass \`…\` to the program as data
    unsafe-position: \`…\` runs the text of \`…\` as a command · pass the value after the code: \`…\`
    unsafe-position: bash expands the target of \`<&\` twice, so the text of \`…\` can run commands · redirect to a file instead: \`…\`
    unsafe-position: bash expands the target of \`>&\` twice, so the text of \`…\` can run commands · redirect to a file instead: \`…\`
    unsafe-program: \`0\` contains \`…\` and runs here as code · use \`…\` as an argument instead of as code
    unsafe-program: \`1\` contains \`…\` and runs here as code · use \`…\` as an argument instead of as code
    unsafe-program: \`@\` contains \`…\` and runs here as code · use \`…\` as an argument instead of as code
    unsafe-program: \`hyperfine\` passes \`…\` to a shell, which reads it as code · pass the value in the environment: \`…\`
    unsafe-program: \`parallel\` passes \`…\` to a shell, which reads it as code · pass the value in the environment: \`…\`
    unsafe-program: \`ssh\` passes \`…\` to a shell on the other machine, which reads it as code · send it as input: \`…\`
    unsafe-program: \`tmux\` passes \`…\` to a shell, which reads it as code · pass the value in the environment: \`…\`
    unsafe-program: \`watch\` passes \`…\` to a shell, which reads it as code · pass the value in the environment: \`…\`
    unsafe-program: \`x\` contains \`…\` and is evaluated here as an expression · check the value where it is assigned: \`…\`
    unsafe-program: \`x\` contains \`…\` and runs here as code · use \`…\` as an argument instead of as code
    unsafe-program: \`y\` contains \`…\` and runs here as code · use \`…\` as an argument instead of as code
    unsafe-program: \`…\` chooses the file that \`.\` runs in this shell · write the path of the file, or make sure that only you choose the value
    unsafe-program: \`…\` chooses the file that \`awk\` runs · write the path of the file, or make sure that only you choose the value
    unsafe-program: \`…\` chooses the file that \`bash\` runs · write the path of the file, or make sure that only you choose the value
    unsafe-program: \`…\` chooses the file that \`jq\` runs · write the path of the file, or make sure that only you choose the value
    unsafe-program: \`…\` chooses the file that \`sed\` runs · write the path of the file, or make sure that only you choose the value
    unsafe-program: \`…\` chooses the file that \`sh\` runs · write the path of the file, or make sure that only you choose the value
    unsafe-program: \`…\` is part of a \`printf\` format, where \`%\` and \`\\\` have a meaning · write \`…\`
    unsafe-program: \`…\` is part of a program of \`awk\`, which can read it as code · pass it in the environment: \`…\`; for the text itself, write \`…\`
    unsafe-program: \`…\` is part of a program of \`bun\`, which can read it as code · keep the program of \`bun\` fixed and pass the value as an argument or as input
    unsafe-program: \`…\` is part of a program of \`gawk\`, which can read it as code · pass it in the environment: \`…\`; for the text itself, write \`…\`
    unsafe-program: \`…\` is part of a program of \`jq\`, which can read it as code · pass it by name: \`…\`; for the text itself, write \`…\`
    unsafe-program: \`…\` is part of a program of \`lua\`, which can read it as code · keep the program of \`lua\` fixed and pass the value as an argument or as input
    unsafe-program: \`…\` is part of a program of \`make\`, which can read it as code · pass it in the environment: \`…\`, and read it in the rule as \`…\`
    unsafe-program: \`…\` is part of a program of \`mariadb\`, which can read it as code · keep the program of \`mariadb\` fixed and pass the value as an argument or as input
    unsafe-program: \`…\` is part of a program of \`mawk\`, which can read it as code · pass it in the environment: \`…\`; for the text itself, write \`…\`
    unsafe-program: \`…\` is part of a program of \`mysql\`, which can read it as code · keep the program of \`mysql\` fixed and pass the value as an argument or as input
    unsafe-program: \`…\` is part of a program of \`nawk\`, which can read it as code · pass it in the environment: \`…\`; for the text itself, write \`…\`
    unsafe-program: \`…\` is part of a program of \`node\`, which can read it as code · pass it as an argument: \`…\`
    unsafe-program: \`…\` is part of a program of \`nodejs\`, which can read it as code · pass it as an argument: \`…\`
    unsafe-program: \`…\` is part of a program of \`perl\`, which can read it as code · pass it as an argument: \`…\`
    unsafe-program: \`…\` is part of a program of \`php\`, which can read it as code · keep the program of \`php\` fixed and pass the value as an argument or as input
    unsafe-program: \`…\` is part of a program of \`psql\`, which can read it as code · keep the program of \`psql\` fixed and pass the value as an argument or as input
    unsafe-program: \`…\` is part of a program of \`python3.12\`, which can read it as code · pass it as an argument: \`…\`
    unsafe-program: \`…\` is part of a program of \`python3\`, which can read it as code · pass it as an argument: \`…\`
    unsafe-program: \`…\` is part of a program of \`ruby\`, which can read it as code · pass it as an argument: \`…\`
    unsafe-program: \`…\` is part of a program of \`sed\`, which can read it as code · keep the program of \`sed\` fixed and pass the value as an argument or as input
    unsafe-program: \`…\` is part of a program of \`yq\`, which can read it as code · keep the program of \`yq\` fixed and pass the value as an argument or as input
    unsafe-program: \`…\` reads a variable by a name in another variable, in a text that also contains \`…\` · write the name of the variable
    unsafe-program: a shell runs this text as code, and it contains \`…\` · keep the code fixed, and pass the value as an argument: \`…\`"
  `);
});

/** Places of a whole text within another one, which change nothing of what is said about it. */
const places: readonly (readonly [string, (text: string) => string])[] = [
  ['then', (text) => `if true; then\n${text}\nfi`],
  ['elif', (text) => `if a; then b; elif\n${text}\nthen c; else d; fi`],
  ['else', (text) => `if a; then b; else ${text}\nfi`],
  ['braces', (text) => `{ ${text}\n} 2> f`],
  ['a subshell', (text) => `(${text}\n)`],
  ['while', (text) => `while a; do\n${text}\ndone`],
  ['until', (text) => `until ${text}\ndo :; done`],
  ['for', (text) => `for i in a; do ${text}\ndone`],
  ['case', (text) => `case x in y)\n${text}\n;; esac`],
  ['a case with other branches', (text) => `case x in (y|z) ${text}\n;; *) : ;; esac`],
  ['a function', (text) => `g() {\n${text}\n}`],
  ['below commands', (text) => `cd x && ls -l | wc\n${text}\ntrue`],
  ['&&', (text) => `a && ${text}`],
  ['!', (text) => `! ${text}`],
  ['the end of a pipe', (text) => `ls |\n ${text}`],
  ['a substitution in a text', (text) => `echo "$(${text}\n)"`],
  ['below a comment', (text) => `# it's {z} $(\n${text}`],
  ['below a here-document', (text) => `cat <<E\n$x ' "\nE\n${text}`],
  ['above a comment', (text) => (text.includes('<<') ? text : `${text} # it's "\n`)],
  ['a redirection', (text) => (text.includes('<<') ? text : `${text} 2> f`)],
  ['several lines', (text) => (/["'`#\n\\]|<<|\$\(|\(\(|\[\[/.test(text) ? text : text.replace(/ /g, ' \\\n '))],
  ['more spaces', (text) => (/["'`#\n]|<</.test(text) ? text : text.replace(/ /g, '  \t'))],
];

describe('places of texts', () => {
  const texts = [...unsafe, ...warned.map(([text]) => text), ...fine];
  const shares = places.map(([name, place], from) => ({
    name,
    place,
    // Each text is at five of the places.
    share: texts.filter((_, at) => (at + from) % places.length < 5),
  }));
  it.each(shares)('$name', ({ place, share }) => {
    const alone = share.map((text) => [text, findings(text)]);
    const placed = share.map((text) => [text, findings(place(text)).filter((line) => !line.includes('{z}'))]);
    expect(placed).toEqual(alone);
  });
});

describe('braces', () => {
  it.each([
    ['{{v}}', '{{v}}'],
    ["echo '{{v}}'", '{{v}}'],
    ['echo "a {{v.x:json}}"', '{{v.x:json}}'],
    ['echo {v}>file', '{v}'],
    ['cat {v}<file', '{v}'],
    ['exec {v}>&1', '{v}'],
  ])('%s is ambiguous', (text, blamed) => {
    expect(findings(text)).toContain(`ambiguous-braces «${blamed}»`);
    expect(diagnosticsOf(text)[0]?.help).toContain('\\{');
  });

  it.each(['echo "<{v}>"', 'echo {v} >file', 'cat >{v}', "echo '{v}>'", '[[ "{v}"<x ]]'])('%s is not', (text) => {
    expect(findings(text)).toEqual([]);
  });

  it.each(['echo x{l*}', 'echo {l*}x', 'echo "{l*}"', "echo '{l*}'", '> {l*}', 'x={l*}', 'cat <<E\n{l*}\nE'])(
    '%s needs a whole word',
    (text) => expect(findings(text)).toContain('list-not-a-word «{l*}»'),
  );
});

describe('texts that do not end', () => {
  it.each([
    ["echo it's {v}", "unclosed-quote «'»"],
    ['echo "abc', 'unclosed-quote «"»'],
    ['echo $(ls', 'unclosed-substitution «$»'],
    ['echo `ls', 'unclosed-substitution «`»'],
    ['echo ${x', 'unclosed-substitution «$»'],
    ['cat <<EOF\nabc', 'unclosed-heredoc «<<EOF»'],
  ])('%s', (text, finding) => expect(findings(text)).toContain(finding));

  it('knows the mistakes of backticks and here-documents', () => {
    expect(findings('echo `echo \\$x {v}`')).toEqual(['backslash-in-backticks «\\»']);
    expect(findings('echo `echo {v}` \\$x')).toEqual([]);
    expect(findings('cat <<E\n{v} $(date)\nE')).toEqual(['substitution-in-heredoc «$(»']);
    expect(findings('cat <<E\n`date` {v}\nE')).toEqual(['substitution-in-heredoc «`»']);
    expect(findings("cat <<'E'\n{v} $(date)\nE\ncat <<F\n$(date)\nF")).toEqual([]);
    expect(findings('cat <<E\n${x:-{v}}\nE')).toEqual(['unsafe-position «{v}»']);
  });
});

it('has a text above for every code of shell text', () => {
  const words = readFileSync(new URL('../../src/language/source/catalogue/shell.ts', import.meta.url), 'utf8');
  const codes = [...words.matchAll(/message(?:<[^(]*>)?\(\s*'([\w-]+)'/g)].map((match) => match[1] as string);
  expect(codes.length).toBeGreaterThan(5);
  const shown = [...unsafe, ...warned.map(([text]) => text), '{{v}}', 'echo x{l*}', 'echo `\\$ {v}`', "'", '$(']
    .concat('cat <<E\n$(d) {v}\nE', 'cat <<E')
    .flatMap((text) => diagnosticsOf(text).map(({ code }) => code));
  expect(codes.filter((code) => !shown.includes(code))).toEqual([]);
});
