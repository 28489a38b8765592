/** Messages about data references in programs, and about the plans and tools that programs call. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { Label } from '../diagnostic.js';
import { didYouMean, list, message } from './message.js';

export const callMessages = {
  unknownKind: message<{ name: string; near: string | undefined; known: readonly string[] }>(
    'unknown-kind',
    'error',
    (f) => ({
      message: `there is no data of kind \`${f.name}\``,
      ...(f.near === undefined
        ? { help: `the kinds are ${f.known.map((kind) => `\`†${kind}\``).join(', ')}` }
        : { ...didYouMean(f.name, f.near, '', f.known), help: `did you mean \`†${f.near}\`?` }),
    }),
  ),
  unknownReferenceName: message<{ path: string; what: string; near: string | undefined; declare: string }>(
    'unknown-name',
    'error',
    (f) => ({
      message: `there is no ${f.what} \`${f.path}\``,
      ...didYouMean(f.path, f.near, f.declare),
    }),
  ),
  embeddedReference: message<{ reference: string }>('embedded-dagger', 'warning', (f) => ({
    message: `\`${f.reference}\` stays text here`,
    label: 'nothing is read',
    help: `write \`{${f.reference}}\` for its value`,
    repair: { replace: f.reference, by: `{${f.reference}}`, guess: true },
  })),
  misspeltReference: message<{ path: string; near: string }>('misspelt-reference', 'error', (f) => ({
    message: `nothing writes \`${f.path}\``,
    ...didYouMean(f.path, f.near, ''),
  })),
  readsNothingWritten: message<{ path: string }>('reads-nothing-written', 'warning', (f) => ({
    message: `nothing in this program writes \`${f.path}\``,
    help: f.path.startsWith('†state.approvals')
      ? 'only plans have approvals; in a program ask with `ASK user: "…" → name`'
      : `write it: \`CALL: tool → ${f.path}\`, or read it as \`default(${f.path}, …)\` where it may be missing`,
  })),
  branchesWriteInside: message<{ outer: string; inner: string; labels: readonly Label[] }>(
    'output-prefix',
    'error',
    (f) => ({
      message: `\`${f.inner}\` is part of \`${f.outer}\`, and branches that run at the same time write both`,
      labels: f.labels,
      help: 'write the two results to separate paths',
    }),
  ),
  branchesWriteOne: message<{ path: string; labels: readonly Label[] }>('contended', 'warning', (f) => ({
    message: `branches that run at the same time write \`${f.path}\`: the first of them in the program wins`,
    labels: f.labels,
    help: 'give each its own path, or collect the results with `[method=push]`',
  })),
  readsOtherBranch: message<{ path: string; labels: readonly Label[] }>('reads-other-branch', 'warning', (f) => ({
    message: `a parallel branch writes \`${f.path}\`, and this branch cannot see that`,
    labels: f.labels,
    help: 'read it after the join, or write it before the branches start',
  })),
  planUnreadable: message<{ path: string; reason: string }>('call-unreadable', 'error', (f) => ({
    message: `the plan \`${f.path}\` cannot be read: ${f.reason}`,
    help: 'a path is relative to the file that names it',
  })),
  toolsUnreadable: message<{ reason: string }>('call-unreadable', 'error', (f) => ({
    message: `the tools of this program cannot be read: ${f.reason}`,
    help: 'name a tools file with `--tools`, or put a `tools.yaml` next to the program',
  })),
  planFileName: message('plan-file-name', 'error', () => ({
    message: 'the file of a plan cannot contain values: what a program calls must be known before it runs',
    help: 'name the file, and pass values with `with`',
  })),
  planInput: message<{ name: string; file: string }>('missing-input', 'error', (f) => ({
    message: `the plan \`${f.file}\` needs \`${f.name}\``,
    help: `pass it: \`with ${f.name}=…\``,
  })),
  planInputUnread: message<{ name: string; file: string; near: string | undefined }>('unread-input', 'error', (f) => ({
    message: `the plan \`${f.file}\` does not read an input \`${f.name}\``,
    ...didYouMean(f.name, f.near, 'leave it out'),
  })),
  planIsWrong: message<{ file: string; errors: number }>('plan-is-wrong', 'error', (f) => ({
    message: `the plan \`${f.file}\` has ${f.errors === 1 ? 'an error' : `${f.errors} errors`}`,
    help: 'they are listed with their lines in that file',
  })),
  planWantsApproval: message<{ file: string }>('plan-wants-approval', 'error', (f) => ({
    message: `the plan \`${f.file}\` must be approved before it runs, because its mode is \`lazy\`, and a program cannot approve it`,
    help: `run it by itself with \`statedsl run ${f.file} --approved HASH\`, or set its mode to \`eager\``,
  })),
  outputPathNotAllowed: message<{ tool: string; wanted: string; only: string | null }>(
    'output-path-not-allowed',
    'error',
    (f) => ({
      message: `\`${f.tool}\` cannot write there: ${f.wanted}`,
      ...omitUndefined({ help: f.only === null ? undefined : `write \`→ ${f.only}\`` }),
    }),
  ),
  metaParameter: message<{ name: string }>('unknown-meta', 'error', (f) => ({
    message: `\`${f.name}\` cannot be a parameter: names that begin with \`_\` describe the call itself`,
    help:
      f.name === '_outputPath'
        ? 'write the path of the result after an arrow: `→ †state.result`'
        : f.name === '_outputMethod'
          ? 'write in brackets how to add the result: `CALL [method=push]: …`'
          : 'give the parameter a name without the underscore',
  })),
} as const;

const PLAN =
  '{"calls": [{"_tool": "price", "goods": "†input.goods", "_outputPath": "†state.price"}], "output": "†state.price"}';

/** Members of plans of other kinds. */
const MEMBERS_OF_OTHERS: Readonly<Record<string, string>> = {
  ...sameHelp(
    'inputs input parameters params args variables',
    'leave it out: what calls read as `†input.name` is an input',
  ),
  ...sameHelp('steps tasks nodes jobs actions tools plan', 'write `"calls"`'),
  ...sameHelp('result results return returns outputs', 'write `"output": "†state.name"`'),
  ...sameHelp('edges depends_on needs', 'leave it out: a call waits for the calls whose results it reads'),
  ...sameHelp('name id description version title', 'leave it out: a plan has the name of its file'),
};

function sameHelp(names: string, help: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name) => [name, help]));
}

/** What to write for keys that descriptions of tools have elsewhere. */
const TOOL_KEYS_OF_OTHERS: readonly (readonly [names: RegExp, help: string])[] = [
  [/^(?:cmd|exec|executable|program|argv|entrypoint)$/i, 'write `run: ["./program", "argument"]`'],
  [/^(?:shell|script|bash|sh)$/i, 'write `run: ["bash", "-c", "…"]`'],
  [
    /^(?:input|inputs|parameters|params|args|arguments|input_?schema|properties)$/i,
    'write a JSON Schema: `schema: { properties: { name: { type: string } }, required: [name] }`',
  ],
  [
    /^(?:output|outputs|output_?schema|returns?|result)$/i,
    'describe the result as `_output` among the `properties` of `schema`',
  ],
  [/^(?:url|http|endpoint|uri|method|headers)$/i, 'call it with a program: `run: ["bash", "-c", "curl -sSf -d @- …"]`'],
  [
    /^(?:retry|retries|attempts|max_?retries|backoff)$/i,
    'leave it out; a program that calls the tool may retry it: `CALL [retry=3]: …`',
  ],
  [
    /^(?:approval|approve|confirm|requires?_?approval|human|ask)$/i,
    'leave it out; let the call read `†state.approvals.NAME`, for which a person answers',
  ],
  [/^(?:once|side_?effects?|destructive|safe|read_?only|pure)$/i, 'write `idempotent: true` or `idempotent: false`'],
  [/^(?:name|description|desc|about|title|summary|doc|note)$/i, 'leave it out, or write it as a comment: `# …`'],
  [
    /^(?:env|environment|cwd|workdir|dir)$/i,
    'put it into the command: `run: ["bash", "-c", "cd dir && NAME=x ./program"]`',
  ],
  [
    /^(?:on_?error|on_?failure|catch|fallback|else)$/i,
    'write `failure: †state.name`, or the last path of `_outputPath`',
  ],
  [
    /^(?:model|system|temperature)$/i,
    'write `agent: NAME` and `prompt: …`; agents are described in statedsl.config.yaml',
  ],
  [/^(?:function|handler|import|code)$/i, 'write `module: ./tools.mjs#name`'],
  [/^(?:server|tool)$/i, 'write `mcp: SERVER/TOOL`'],
];

/** Words for the target of a tool, of which the unknown key is mistake enough. */
export const isForeignTarget = (key: string): boolean =>
  /^(?:cmd|exec|executable|program|argv|entrypoint|shell|script|bash|sh|url|http|endpoint|uri|function|handler|server|tool)$/i.test(
    key,
  );

/** Members of calls of other kinds. */
const META_OF_OTHERS: readonly (readonly [names: RegExp, help: string])[] = [
  [
    /^_(?:id|name|key|ref|as|bind|out|to|into|result|results|writes?|store|save|set|var|assign|output_?path|outputs)$/i,
    'name where the result goes, as in `"_outputPath": "†state.price"`; other calls read that path',
  ],
  [
    /^_(?:if|when|unless|condition|cond|only_?if|skip_?if)$/i,
    'leave it out: a call is skipped if the alternative that it reads was not taken, as in `"_outputPath": "†state.ok || †state.failed"`',
  ],
  [
    /^_(?:after|before|depends(?:_?on)?|needs|requires|wait_?for|order|next)$/i,
    'leave it out: a call waits for the calls whose results it reads',
  ],
  [
    /^_(?:on_?)?(?:err|error|errors|fail|failed|failure|catch|else|otherwise|fallback|rescue)(?:_?(?:output)?_?path|_?output)?$/i,
    'a failure takes the last alternative, as in `"_outputPath": "†state.paid || †state.refused"`; its text is `†state.refused.message`',
  ],
  [
    /^_(?:args|arguments|params|parameters|input|inputs|with)$/i,
    'write parameters next to `_tool`, as in `{"_tool": "price", "goods": "†input.goods"}`',
  ],
];

/** Messages about plans: references, output paths, wiring and tools. */
export const planMessages = {
  json: message<{ problem: string }>('plan-json', 'error', (f) => ({
    message: `this is not JSON: ${f.problem}`,
    help: 'a plan is strict JSON: double quotes, no comments, no trailing commas',
  })),
  jsonLimit: message<{ problem: string; help: string }>('plan-json', 'error', (f) => ({
    message: f.problem,
    help: f.help,
  })),
  yaml: message<{ problem: string }>('tools-yaml', 'error', (f) => ({
    message: `this is not YAML: ${f.problem}`,
    help: 'a tools file maps the name of each tool to its description',
  })),
  duplicateMember: message<{ name: string }>('duplicate-member', 'error', (f) => ({
    message: `the member \`${f.name}\` is given twice in one object`,
    label: 'the second one',
    help: 'keep one of the two',
  })),
  foreignReference: message<{ text: string; path: string }>('foreign-reference', 'warning', (f) => ({
    message: `\`${f.text}\` is a text, and no value of another call`,
    label: 'the tool gets these characters',
    help: `write \`"†input.${f.path}"\` for an input, or \`"†state.${f.path}"\` for what a call wrote to that \`_outputPath\``,
  })),
  shape: message<{ what: string; wanted: string; help?: string }>('plan-shape', 'error', (f) => ({
    message: `${f.what} must be ${f.wanted}`,
    help: f.help ?? `a plan is \`${PLAN}\``,
  })),
  unknownMember: message<{ name: string; near: string | undefined; known: readonly string[] }>(
    'unknown-member',
    'error',
    (f) => ({
      message: `\`${f.name}\` is not a member of a plan`,
      ...didYouMean(
        f.name,
        f.near,
        Object.hasOwn(MEMBERS_OF_OTHERS, f.name)
          ? (MEMBERS_OF_OTHERS[f.name] as string)
          : `its members are ${list(f.known)}`,
        f.known,
      ),
    }),
  ),
  unknownMessageMember: message<{ name: string; near: string | undefined; known: readonly string[] }>(
    'unknown-member',
    'error',
    (f) => ({
      message: `\`${f.name}\` is not a member of a data message`,
      ...didYouMean(f.name, f.near, 'its members are `type`, `kind` and `data`, and `data` has the values', f.known),
    }),
  ),
  unknownMeta: message<{ name: string; near: string | undefined; known: readonly string[] }>(
    'unknown-meta',
    'error',
    (f) => ({
      message: `\`${f.name}\` has no meaning for a call`,
      notes: ['names that begin with `_` are never parameters'],
      ...didYouMean(
        f.name,
        f.near,
        META_OF_OTHERS.find(([names]) => names.test(f.name))?.[1] ??
          'leave it out; a parameter needs a name without the underscore',
        f.known,
      ),
    }),
  ),
  unsupportedMeta: message<{ name: string }>('unknown-meta', 'error', (f) => ({
    message: `\`${f.name}\` is not supported, and ignoring it would change what runs`,
    help: 'express the condition by a reference to the path that decides it',
  })),
  refSyntax: message<{ problem: string; help: string }>('ref-syntax', 'error', (f) => ({
    message: f.problem,
    help: f.help,
  })),
  mixedOperators: message<{ problem: string; help: string }>('mixed-operators', 'error', (f) => ({
    message: f.problem,
    help: f.help,
  })),
  embeddedReference: message('embedded-dagger', 'warning', () => ({
    message: 'a data reference inside a text stays text',
    label: 'nothing is read here',
    help: 'make the reference the whole value of the parameter',
  })),
  unknownKind: message<{ name: string; near: string | undefined; known: readonly string[] }>(
    'unknown-kind',
    'error',
    (f) => ({
      message: `there is no data of kind \`${f.name}\``,
      ...didYouMean(
        f.name,
        f.near,
        `write \`†input.${f.name}\` or \`†state.${f.name}\`; other kinds than ${list(f.known)} are declared by data messages in \`context\``,
      ),
    }),
  ),
  unknownTool: message<{ name: string; near: string | undefined; tools: string | null }>(
    'unknown-tool',
    'error',
    (f) => ({
      message: `there is no tool \`${f.name}\``,
      ...didYouMean(
        f.name,
        f.near,
        f.tools === null
          ? /[/.]/.test(f.name)
            ? `write \`DO: ${/^\.{0,2}\//.test(f.name) ? '' : './'}${f.name}\`: CALL is for the tools of a \`tools.yaml\``
            : `describe it in a \`tools.yaml\` next to this file: \`${f.name}: { run: ["./${f.name}.sh"] }\``
          : `add it to \`${f.tools}\``,
      ),
    }),
  ),
  writeReadonly: message<{ path: string; kind: string }>('write-readonly', 'error', (f) => ({
    message: `\`${f.path}\` cannot be written: data of the kind \`${f.kind}\` is read-only`,
    help: 'write to a path below `†state`',
  })),
  writeRoot: message<{ kind: string }>('write-root', 'error', (f) => ({
    message: `a result cannot replace all of \`†${f.kind}\``,
    help: `write to a path in it, such as \`†${f.kind}.result\``,
  })),
  outputPrefix: message<{ outer: string; inner: string; labels: readonly Label[] }>('output-prefix', 'error', (f) => ({
    message: `\`${f.inner}\` is part of \`${f.outer}\`, but both are written`,
    labels: f.labels,
    help: 'write the two results to separate paths',
  })),
  overlap: message<{ path: string; labels: readonly Label[] }>('overlap', 'error', (f) => ({
    message: `two calls share only some of their output paths: both write \`${f.path}\``,
    labels: f.labels,
    notes: ['results that are written to several paths are written in one step, all or none'],
    help: 'let both calls write the same paths, or separate ones',
  })),
  contended: message<{ path: string; labels: readonly Label[] }>('contended', 'warning', (f) => ({
    message: `two calls that may both run write \`${f.path}\``,
    label: 'its result is dropped if the earlier call has written',
    labels: f.labels,
    notes: ['a path is written once, and the order of the calls decides'],
    help: 'give one of them another path, or set `_outputMethod`',
  })),
  sharedArm: message<{ path: string; labels: readonly Label[] }>('shared-arm', 'warning', (f) => ({
    message: `two calls may both end in \`${f.path}\``,
    label: 'the second result that ends here is dropped',
    labels: f.labels,
    help: 'give each of them its own alternative',
  })),
  cycle: message<{ path: string; names: readonly string[] }>('cycle', 'error', (f) => ({
    message:
      f.names.length === 1
        ? `${f.names[0]} waits for its own result`
        : `these calls wait for each other: ${[...f.names, f.names[0]].join(' → ')}`,
    label: `\`${f.path}\` comes from a call that needs the result of this one`,
    help: 'let one of them read something else',
  })),
  contradiction: message<{ first: string; second: string }>('contradiction', 'error', (f) => ({
    message: `this call can never run: it needs both \`${f.first}\` and \`${f.second}\`, but no outcome writes both`,
    help: 'read one of them, or join them with `||`',
  })),
  neverWritten: message<{ path: string; near: string | undefined; member?: string | undefined }>(
    'never-written',
    'error',
    (f) => ({
      message: `nothing writes \`${f.path}\``,
      label: 'no call has this output path, and `context` does not contain it',
      ...(f.member === undefined
        ? didYouMean(f.path, f.near, 'write it with `_outputPath`, or give it in `context`')
        : { help: `write \`"_outputPath": "${f.path}"\` for \`"${f.member}"\`, which is a parameter of the tool` }),
    }),
  ),
  givenApproval: message<{ path: string; value: string }>('bad-approval', 'error', (f) => ({
    message: `\`${f.path}\` is \`${f.value}\` from the beginning, which neither approves nor denies`,
    help: 'write `true` to approve or `false` to deny, or leave it out so that a person is asked',
  })),
  nestedApproval: message<{ path: string; above: string; own: string; labels: readonly Label[] }>(
    'bad-approval',
    'error',
    (f) => ({
      message: `\`${f.path}\` is below the approval \`${f.above}\`, which is true or false and has nothing below it`,
      help: `give this approval a name of its own, such as \`${f.own}\``,
      labels: f.labels,
    }),
  ),
  missingInput: message<{ path: string; name: string }>('missing-input', 'error', (f) => ({
    message: `the input \`${f.path}\` has no value`,
    help: `pass it with \`-i ${f.name}=…\``,
  })),
  missingInnerInput: message<{ plan: string; names: readonly string[] }>('missing-input', 'error', (f) => ({
    message: `the plan \`${f.plan}\` that this call runs needs the input ${f.names.map((name) => `\`${name}\``).join(' or ')}`,
    help: `give the call a parameter \`${f.names[0]}\``,
  })),
  innerPlan: message<{ plan: string; problem: string; help: string }>('inner-plan', 'error', (f) => ({
    message: `the plan \`${f.plan}\` that this call runs ${f.problem}`,
    help: f.help,
  })),
  eachParameter: message<{ plan: string; name: string; problem: string }>('inner-plan', 'error', (f) => ({
    message: `the plan \`${f.plan}\` runs once for each item of \`${f.name}\`, which ${f.problem}`,
    help: `give the call a parameter \`${f.name}\` that is a list`,
  })),
  unknownAgent: message<{ tool: string; name: string }>('unknown-agent', 'error', (f) => ({
    message: `\`${f.tool}\` is the agent \`${f.name}\`, which is not configured`,
    help: 'add it under `agents:` in statedsl.config.yaml, or begin its name with an adapter, as in `claude-haiku`',
  })),
  unknownServer: message<{ tool: string; name: string }>('unknown-server', 'error', (f) => ({
    message: `\`${f.tool}\` is a tool of the server \`${f.name}\`, which is not configured`,
    help: `add it under \`mcp:\` in statedsl.config.yaml: \`${f.name}: { run: [program] }\``,
  })),
  unreadInput: message<{ name: string; near: string | undefined }>('unread-input', 'error', (f) => ({
    message: `the plan does not read an input \`${f.name}\``,
    ...didYouMean(f.name, f.near, 'leave it out'),
  })),
  typeMismatch: message<{ what: string; wanted: string }>('type-mismatch', 'error', (f) => ({
    message: `${f.what} ${f.wanted}`.replace(' ,', ','),
    notes: ['the schema of the tool requires this'],
  })),
  outputPathNotAllowed: message<{ tool: string; wanted: string; only: string | null }>(
    'output-path-not-allowed',
    'error',
    (f) => ({
      message: `\`${f.tool}\` cannot write there: ${f.wanted}`,
      ...omitUndefined({ help: f.only === null ? undefined : `write \`"_outputPath": ${JSON.stringify(f.only)}\`` }),
    }),
  ),
  pathType: message<{ path: string; outer: string; found: string }>('path-type', 'error', (f) => ({
    message: `\`${f.path}\` cannot exist, because \`${f.outer}\` is ${f.found}`,
    help: 'end the path earlier, or change the value that is given',
  })),
  preset: message<{ path: string }>('preset', 'warning', (f) => ({
    message: `this call will not run: \`${f.path}\` already has a value`,
    help: 'leave the value out of `context`, or set `_outputMethod`',
  })),
  presetPart: message<{ path: string; others: readonly string[] }>('preset', 'warning', (f) => ({
    message: `this call writes only ${f.others.map((name) => `\`${name}\``).join(' and ')}: \`${f.path}\` already has a value`,
    help: 'leave the value out of `context`, or set `_outputMethod`',
  })),
  noSuchField: message<{
    path: string;
    tool: string;
    name: string;
    known: readonly string[] | null;
    near: string | undefined;
  }>('path-type', 'error', (f) => ({
    message: `\`${f.path}\` cannot exist: a result of \`${f.tool}\` has no field \`${f.name}\``,
    label:
      f.known === null || f.known.length === 0
        ? 'its schema has no fields'
        : `its schema has ${f.known.map((name) => `\`${name}\``).join(', ')}`,
    ...didYouMean(f.path, f.near, 'read a field that the schema has, or add this one to the schema'),
  })),
  toolNotFound: message<{ tool: string; problem: string }>('tool-not-found', 'warning', (f) => ({
    message: `the tool \`${f.tool}\` cannot run here: ${f.problem}`,
    help: 'install it, or correct its entry in the tools file',
  })),
  engineTools: message<{ tool: string; path: string }>('engine-tools', 'warning', (f) => ({
    message: `the tool \`${f.tool}\` needs \`${f.path}\`, which workers may not have`,
    label: 'is started by the worker that has this turn of the run',
    help: 'put the file into the project and name it relative to the tools file; workers look for it below their `--cwd`',
  })),
  forwardReference: message<{ path: string; call: string }>('forward-reference', 'warning', (f) => ({
    message: `${f.call} writes \`${f.path}\`, but is further down`,
    label: 'this call waits for it',
    help: 'list the calls in the order in which they can run',
  })),
  unordered: message<{ first: string; second: string; more: boolean; labels: readonly Label[] }>(
    'unordered',
    'warning',
    (f) => ({
      message: `nothing determines whether ${f.first} or ${f.second} runs first`,
      label: 'has no result, so it probably changes something elsewhere',
      labels: f.labels,
      ...omitUndefined({ notes: f.more ? ['there are more such pairs, which are not shown'] : undefined }),
      help: 'let one read a path that the other writes, or mark the tool `idempotent: true`',
    }),
  ),
  toolShape: message<{ what: string; wanted: string; help?: string }>('tool-shape', 'error', (f) => ({
    message: `${f.what} must be ${f.wanted}`,
    help: f.help ?? 'write a tool as `name: { run: ["./program"] }`',
  })),
  foreignPlaceholder: message<{ text: string; name: string; line: string | null }>(
    'foreign-reference',
    'warning',
    (f) => ({
      message: `\`${f.text}\` is a text: a program gets its parameters on standard input, as one JSON object`,
      label: 'the program gets these characters',
      help:
        f.line === null ? `read it there, as in \`run: ["bash", "-c", "jq -r .${f.name}"]\`` : `write \`${f.line}\``,
    }),
  ),
  unknownToolKey: message<{ tool: string; name: string; near: string | undefined; known: readonly string[] }>(
    'unknown-tool-key',
    'error',
    (f) => ({
      message: `\`${f.name}\` is not a key of the tool \`${f.tool}\``,
      ...didYouMean(
        f.name,
        f.near,
        TOOL_KEYS_OF_OTHERS.find(([names]) => names.test(f.name))?.[1] ?? `its keys are ${list(f.known)}`,
        f.known,
      ),
    }),
  ),
  unknownOutcome: message<{ tool: string; path: string; labels: readonly Label[] }>(
    'unknown-outcome',
    'error',
    (f) => ({
      message: `\`${f.tool}\` may end in \`${f.path}\`, which this call does not declare`,
      labels: f.labels,
      help: `add it to the output path: \`… || ${f.path}\``,
    }),
  ),
};
