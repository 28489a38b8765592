/**
 * The language server in real editors, headless, with the configurations of docs/editors.md as they are there:
 * `npm run test:editors`, or `npm run test:editors -- nvim` for one of them. An editor that is missing fails with the line
 * that installs it. VS Code is large: it is asked if it was named or is installed already.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execaSync } from 'execa';
import { testGrammar } from './editors/tree-sitter.mjs';
import { askVscode, install, isInstalled } from './editors/vscode.mjs';
import { FILES } from './editors/vscode-files.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const PACKAGES = { nvim: 'neovim', emacs: 'emacs-nox elpa-eglot' };
const SCRIPTS = { nvim: runNeovim, emacs: runEmacs };

const FLOW = FILES['flow.dsl'];

/** The first block of a language below a heading of the manual. */
function configuration(heading, language) {
  const page = readFileSync(join(root, 'docs/editors.md'), 'utf8');
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const block = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section)?.[1];
  assert.ok(block, `docs/editors.md has a configuration for ${heading}`);
  return block;
}

/** A folder with the program and `statedsl` on PATH. */
function prepared() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'statedsl-editors-')));
  mkdirSync(join(folder, 'bin'));
  const command = join(folder, 'bin/statedsl');
  writeFileSync(
    command,
    `#!/bin/sh\necho $$ >> "${folder}/servers"\nexec "${process.execPath}" "${join(root, 'dist/cli.js')}" "$@"\n`,
  );
  chmodSync(command, 0o755);
  writeFileSync(join(folder, 'flow.dsl'), FLOW);
  writeFileSync(join(folder, 'empty.dsl'), '');
  const cache = join(root, 'node_modules/.cache/editors');
  const env = {
    ...process.env,
    HOME: folder,
    XDG_CACHE_HOME: cache,
    PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH}`,
  };
  return { folder, env };
}

/** What the editor said about each step. All editors are asked the same. */
function judge(said) {
  assert.match(said.diagnostics.join('\n'), /`IFF` is not a verb/);
  assert.match(said.hover, /local `n` of A/);
  assert.deepEqual(said.definition, [3, 4]);
  assert.match(said.renamed, /DO: list = ls -- \{dir\}/);
  assert.match(said.renamed, /with n=\{list\}/);
  assert.deepEqual(said.completion, ['A', 'B']);
  assert.match(said.fixed, /\n {2}IF: n == ""/);
  assert.match(said.formatted, /\n {2}GOTO: B with n/);
  for (const message of said.empty) assert.match(message, /there is nothing to run/);
}

function runNeovim({ folder }) {
  writeFileSync(join(folder, 'init.lua'), configuration('Neovim', 'lua'));
  writeFileSync(
    join(folder, 'ask.lua'),
    `
local said = {}
local function wait(what, ready)
  if not vim.wait(60000, ready, 20) then error("waited in vain for " .. what) end
end
local function ask(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 60000)
  for _, answer in pairs(answers or {}) do
    if answer.error then error(method .. ": " .. vim.inspect(answer.error)) end
    return answer.result
  end
end
local function at(line, character)
  vim.api.nvim_win_set_cursor(0, { line + 1, character })
  return vim.lsp.util.make_position_params()
end
local function text() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\\n") .. "\\n" end
local function write(lines)
  vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(lines, "\\n"))
end
vim.cmd("edit flow.dsl")
wait("messages", function() return #vim.diagnostic.get(0) > 0 end)
said.diagnostics = vim.tbl_map(function(one) return one.message end, vim.diagnostic.get(0))
said.hover = ask("textDocument/hover", at(3, 7)).contents.value
said.definition = vim.tbl_map(function(one) return one.range.start.line end, ask("textDocument/definition", at(6, 11)))
local items = ask("textDocument/completion", at(4, 10)).items
said.completion = vim.tbl_map(function(one) return one.label end, items)
local position = at(3, 2)
local actions = ask("textDocument/codeAction", {
  textDocument = position.textDocument,
  range = { start = position.position, ["end"] = { line = 3, character = 5 } },
  context = { diagnostics = vim.tbl_map(function(one) return one.user_data.lsp and vim.tbl_extend("force", {
    range = { start = { line = one.lnum, character = one.col }, ["end"] = { line = one.end_lnum, character = one.end_col } },
    message = one.message }, one.user_data.lsp) end, vim.diagnostic.get(0)) },
})
vim.lsp.util.apply_workspace_edit(actions[1].edit, "utf-16")
said.fixed = text()
wait("no messages", function() return #vim.diagnostic.get(0, { severity = vim.diagnostic.severity.ERROR }) == 0 end)
vim.lsp.util.apply_text_edits(ask("textDocument/formatting", { textDocument = position.textDocument, options = { tabSize = 2, insertSpaces = true } }), 0, "utf-16")
said.formatted = text()
local rename = at(3, 6)
rename.newName = "list"
vim.lsp.util.apply_workspace_edit(ask("textDocument/rename", rename), "utf-16")
said.renamed = text()
vim.cmd("write! | edit empty.dsl")
wait("an empty file", function() return #vim.lsp.buf_get_clients(0) > 0 end)
ask("textDocument/documentSymbol", { textDocument = vim.lsp.util.make_text_document_params() })
said.empty = vim.tbl_map(function(one) return one.message end, vim.diagnostic.get(0))
local file = io.open("said.json", "w")
file:write(vim.json.encode(said))
file:close()
vim.cmd("qall!")
`,
  );
  const script = 'local ok, why = pcall(dofile, "ask.lua") if not ok then print(why) vim.cmd("cquit!") end';
  writeFileSync(join(folder, 'run.lua'), script);
  return ['--headless', '-u', 'init.lua', '-c', 'luafile run.lua'];
}

function runEmacs({ folder }) {
  writeFileSync(join(folder, 'init.el'), configuration('Emacs', 'elisp'));
  writeFileSync(
    join(folder, 'ask.el'),
    `
(require 'package)
(package-initialize)
(require 'eglot)
(require 'json)
(setq eglot-sync-connect 60 eglot-autoshutdown t)
(load (expand-file-name "init.el"))
(defun text () (buffer-substring-no-properties (point-min) (point-max)))
(defun at (line character) (goto-char (point-min)) (forward-line line) (forward-char character))
(defun ask (method &rest more)
  (jsonrpc-request (eglot--current-server-or-lose) method (append (eglot--TextDocumentPositionParams) more)))
(defun wait-for (what ready)
  (with-timeout (60 (error "waited in vain for %s" what))
    (while (not (funcall ready)) (accept-process-output nil 0.05))))
(defun messages () (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))
(let (said)
  (find-file "flow.dsl")
  (eglot-ensure)
  (run-hooks 'post-command-hook)
  (wait-for "a server" #'eglot-current-server)
  (wait-for "messages" (lambda () (flymake-start) (messages)))
  (push (cons 'diagnostics (vconcat (messages))) said)
  (at 3 7)
  (push (cons 'hover (plist-get (plist-get (ask :textDocument/hover) :contents) :value)) said)
  (at 6 11)
  (push (cons 'definition (vconcat (mapcar (lambda (one) (plist-get (plist-get (plist-get one :range) :start) :line))
    (ask :textDocument/definition)))) said)
  (at 4 10)
  (push (cons 'completion (vconcat (mapcar (lambda (one) (plist-get one :label))
    (plist-get (ask :textDocument/completion) :items)))) said)
  (at 3 3)
  (let ((action (seq-find (lambda (one) (equal (plist-get one :kind) "quickfix"))
          (jsonrpc-request (eglot--current-server-or-lose) :textDocument/codeAction
            (list :textDocument (eglot--TextDocumentIdentifier)
                  :range (list :start (list :line 3 :character 2) :end (list :line 3 :character 5))
                  :context (list :diagnostics (vconcat (mapcar (lambda (one)
                    (cdr (assoc 'eglot-lsp-diag (eglot--diag-data one)))) (flymake-diagnostics))))))))) 
    (eglot--apply-workspace-edit (plist-get action :edit)))
  (push (cons 'fixed (text)) said)
  (eglot--signal-textDocument/didChange)
  (eglot-format-buffer)
  (push (cons 'formatted (text)) said)
  (eglot--signal-textDocument/didChange)
  (at 3 6)
  (eglot-rename "list")
  (push (cons 'renamed (text)) said)
  (set-buffer-modified-p nil)
  (find-file "empty.dsl")
  (push (cons 'empty (vconcat (messages))) said)
  (with-temp-file "said.json" (insert (json-encode said)))
  (eglot-shutdown-all)
  (kill-emacs 0))
`,
  );
  return ['--batch', '-l', 'ask.el'];
}

function serversOf(folder) {
  const file = join(folder, 'servers');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number) : [];
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(what, holds) {
  for (let turn = 0; !holds(); turn++) {
    assert.ok(turn < 600, what);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const untilGone = (folder) => until('a server is left', () => !serversOf(folder).some(isAlive));

/** An editor that dies takes its server along. */
async function killed(name, { folder, env }) {
  const started = serversOf(folder).length;
  const file = `open.${name === 'nvim' ? 'lua' : 'el'}`;
  const open = { nvim: 'vim.cmd("edit flow.dsl")\n', emacs: '(find-file "flow.dsl")\n(eglot-ensure)\n' }[name];
  const wait = {
    nvim: 'vim.wait(300000, function() return false end)',
    emacs: '(run-hooks (quote post-command-hook))\n(sleep-for 300)',
  }[name];
  const head = {
    nvim: '',
    emacs: '(package-initialize)\n(require (quote eglot))\n(load (expand-file-name "init.el"))\n',
  }[name];
  writeFileSync(join(folder, file), head + open + wait);
  const args = { nvim: ['--headless', '-u', 'init.lua', '-c', `luafile ${file}`], emacs: ['--batch', '-l', file] }[
    name
  ];
  const editor = spawn(name, args, { cwd: folder, env, stdio: 'ignore' });
  await until('the server does not start', () => serversOf(folder).length > started);
  editor.kill('SIGKILL');
  await untilGone(folder);
}

/** What VS Code said and showed. */
function judgeVscode(said) {
  assert.equal(said.error, undefined);
  const { program, views, tests } = said.shown;
  assert.equal(said.language, 'statedsl');
  assert.deepEqual(said.messages, ['4 statedsl unknown-verb: `IFF` is not a verb']);
  assert.match(said.hover.join('\n'), /local `n` of A/);
  assert.deepEqual(said.definition, [3, 4]);
  assert.deepEqual(said.completion, ['A', 'B']);
  assert.deepEqual(said.outline, ['dir(0)', 'flow(2)']);
  assert.deepEqual(said.lenses, ['Run', 'Debug']);
  assert.deepEqual(said.callers, ['A']);
  assert.ok(said.tokens > 5 && said.folding > 0 && program.colors > 5 && program.squiggles > 0);
  assert.deepEqual(program.lenses, ['Run', 'Debug']);
  assert.deepEqual(said.actions, ['write IF']);
  assert.match(said.formatted, /\n {2}GOTO: B with n\n/);
  assert.match(said.renamed, /DO: list = ls -- \{dir\}[\s\S]*with n=\{list\}/);
  assert.match(said.refused, /would change what the program does/);
  assert.match(said.empty[0], /there is nothing to run/);
  assert.match(said.markdown[0], /^4 .*nothing binds `nothing`/);
  assert.match(said.workflow.join('\n'), /`nonsense` is not a key of a step/);
  assert.equal(said.otherLanguage, 'plaintext');
  assert.ok(said.gone && said.long > 0);
  assert.deepEqual(said.stops, ['breakpoint 6', 'step 7', 'step 6', 'step 7']);
  assert.deepEqual([said.seen, said.set, said.loopEnd, said.left], ['3', '4', '4', true]);
  assert.deepEqual(said.logged, ['round 0', 'round 1', 'round 2']);
  assert.equal(said.failure, 'exception 3');
  assert.ok(said.failed);
  assert.deepEqual(views.graph, { nodes: ['A', 'end'], now: ['A'] });
  assert.ok(views.labels.includes('2 state entered A'), views.labels.join('\n'));
  assert.ok(
    views.labels.some((one) => one.startsWith('Running 1')),
    views.labels.join('\n'),
  );
  assert.deepEqual([said.opened, said.past, said.wentTo], ['exception 3', '"hello"', 'goto 2']);
  assert.equal(said.task, 'hello.dsl 0');
  assert.deepEqual(said.tasks.sort(), ['check all programs true', 'run all tests false']);
  assert.ok(
    tests.labels.includes('EXPECT: returned "ho"') && tests.labels.includes('it greets'),
    tests.labels.join('\n'),
  );
}

async function testVscode(isNamed) {
  if (!isNamed && !isInstalled())
    return console.log('skipped: VS Code, which `npm run test:editors -- vscode` installs into the cache');
  const problem = install();
  if (problem !== null) {
    console.error(`VS Code cannot be installed: ${problem}`);
    if (isNamed) process.exitCode = 1;
    return;
  }
  const said = await inFolder((folder) => askVscode(folder));
  judgeVscode(said);
  const restricted = await inFolder((folder) => askVscode(folder, { isTrusted: false }));
  judgeRestricted(restricted);
  console.log(
    `VS Code ${said.vscode}: the language, other kinds of files, the debugger, views, a task, tests, no trust`,
  );
  // Nothing in this folder activates the extension before it is asked.
  const started = await inFolder((folder) => askVscode(folder, { only: 'start', files: { 'notes.txt': 'notes\n' } }));
  assert.equal(started.error, undefined);
  console.log(
    `the extension was active after ${started.activated} ms; its server starts again in ${started.restarted} ms`,
  );
}

async function inFolder(act) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'statedsl-editors-')));
  try {
    return await act(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

/** A folder that nobody trusts. */
function judgeRestricted(said) {
  assert.equal(said.error, undefined);
  assert.equal(said.isTrusted, false);
  assert.deepEqual([said.outline, said.lenses, said.begun], [['top', 'loop'], [], []]);
  assert.match(said.hover.join('\n'), /`seen`/);
  assert.match(said.shown.restricted.notices.join('\n'), /run only in workspaces that you trust/);
}

const wanted = process.argv.slice(2);
const names = wanted.length === 0 ? [...Object.keys(PACKAGES), 'vscode'] : wanted;
for (const name of names) {
  if (name === 'vscode') {
    await testVscode(wanted.length > 0 || process.env.NIGHTLY !== undefined);
    continue;
  }
  const script = SCRIPTS[name];
  assert.ok(script, `\`${name}\` is not one of ${[...Object.keys(PACKAGES), 'vscode'].join(', ')}`);
  const isThere = () => (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
  // Where that is permitted, as for the browser.
  if (!isThere() && process.getuid?.() === 0) {
    execaSync('apt-get', ['update'], { reject: false });
    const words = ['install', '-y', '--no-install-recommends', ...PACKAGES[name].split(' ')];
    execaSync('apt-get', words, { reject: false, stdio: 'inherit' });
  }
  if (!isThere()) {
    console.error(`${name} is not installed: apt-get install -y --no-install-recommends ${PACKAGES[name]}`);
    process.exitCode = 1;
    continue;
  }
  const place = prepared();
  try {
    const args = script(place);
    const { exitCode, stderr, stdout } = execaSync(name, args, {
      cwd: place.folder,
      env: place.env,
      reject: false,
      timeout: 300_000,
      stdin: 'ignore',
    });
    const file = join(place.folder, 'said.json');
    assert.ok(existsSync(file), `${name} ended with ${exitCode}:\n${stdout}\n${stderr}`);
    judge(JSON.parse(readFileSync(file, 'utf8')));
    await untilGone(place.folder);
    await killed(name, place);
    if (name === 'nvim') {
      const read = join(place.folder, 'grammar');
      mkdirSync(read);
      const said = await testGrammar(root, read, configuration('Highlighting with tree-sitter', 'sh'));
      console.log(`tree-sitter: ${said.programs} programs, ${said.compared} verbs, names and texts`);
    }
    console.log(
      `${name}: messages, hover, definition, completion, code action, formatting, rename, an empty file, a sudden end`,
    );
  } finally {
    rmSync(place.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}
