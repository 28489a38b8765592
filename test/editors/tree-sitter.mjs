/**
 * The tree-sitter grammar, compiled as the manual says and loaded into Neovim: it reads every valid program of the corpus
 * without an error, with verbs, names and texts where the parser has them, and its queries name nodes that there are.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { execaSync } from 'execa';

const ask = `
local said = { files = {}, queries = {} }
vim.treesitter.require_language("statedsl", vim.fn.getcwd() .. "/statedsl.so")
local function text(name)
  local file = assert(io.open(name, "rb"))
  local all = file:read("*a")
  file:close()
  return all
end
local function walk(node, into)
  local _, _, from = node:start()
  local _, _, to = node:end_()
  if node:type() == "ERROR" or node:missing() then table.insert(into, "error " .. from .. " " .. to) end
  if node:named() then table.insert(into, node:type() .. " " .. from .. " " .. to) end
  for child in node:iter_children() do walk(child, into) end
end
for _, name in ipairs(vim.json.decode(text("names.json"))) do
  local nodes = {}
  walk(vim.treesitter.get_string_parser(text(name), "statedsl"):parse()[1]:root(), nodes)
  said.files[name] = nodes
end
for name in vim.gsplit(text("queries.txt"), "\\n", true) do
  local query = vim.treesitter.parse_query("statedsl", text(name))
  said.queries[name] = #query.captures
end
local file = io.open("said.json", "w")
file:write(vim.json.encode(said))
file:close()
vim.cmd("qall!")
`;

/** The programs, read by the parser. */
async function programs(root, folder) {
  const outfile = join(folder, 'valid-programs.mjs');
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  await build({
    entryPoints: [join(root, 'test/editors/valid-programs.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'warning',
    // The corpus is next to the file that reads it.
    define: { 'import.meta.url': JSON.stringify(pathToFileURL(join(root, 'test/corpus/case-file.ts')).href) },
  });
  const { validPrograms } = await import(pathToFileURL(outfile).href);
  return validPrograms(root);
}

/** `command` is how the manual compiles the grammar. */
export async function testGrammar(root, folder, command) {
  const grammar = join(root, 'editors/tree-sitter-statedsl');
  const [program, ...args] = command.trim().split(/\s+/);
  const output = args.indexOf('-o') + 1;
  args[output] = join(folder, args[output]);
  const { failed, stderr: why } = execaSync(program, args, { cwd: grammar, reject: false });
  assert.ok(!failed, `the grammar is not compiled (apt-get install -y --no-install-recommends gcc libc6-dev): ${why}`);
  const all = await programs(root, folder);
  assert.ok(all.length > 400, `${all.length} programs are valid`);
  const names = all.map(({ text }, index) => {
    writeFileSync(join(folder, `${index}.dsl`), text);
    return `${index}.dsl`;
  });
  const queries = readdirSync(join(grammar, 'queries')).map((name) => join(grammar, 'queries', name));
  writeFileSync(join(folder, 'names.json'), JSON.stringify(names));
  writeFileSync(join(folder, 'queries.txt'), queries.join('\n'));
  writeFileSync(join(folder, 'ask.lua'), ask);
  writeFileSync(
    join(folder, 'run.lua'),
    'local ok, why = pcall(dofile, "ask.lua") if not ok then print(why) vim.cmd("cquit!") end',
  );
  const { exitCode, stderr } = execaSync('nvim', ['--headless', '-u', 'NONE', '-c', 'luafile run.lua'], {
    cwd: folder,
    reject: false,
    timeout: 300_000,
    stdin: 'ignore',
  });
  assert.equal(exitCode, 0, stderr);
  const said = JSON.parse(readFileSync(join(folder, 'said.json'), 'utf8'));
  assert.equal(Object.keys(said.queries).length, queries.length);
  let compared = 0;
  for (const [index, { name, tokens }] of all.entries()) {
    const nodes = new Set(said.files[`${index}.dsl`]);
    const errors = [...nodes].filter((node) => node.startsWith('error'));
    assert.deepEqual(errors, [], `${name}: what is no error for the parser`);
    const missing = tokens.filter((token) => !nodes.has(token));
    assert.deepEqual(missing, [], `${name}: what the parser has`);
    compared += tokens.length;
  }
  return { programs: all.length, compared };
}
