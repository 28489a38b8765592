/** What the parameters of requests must have: a client that leaves something out learns what, and not where the server failed. */

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;
const isPosition = (value: unknown): boolean =>
  isObject(value) && typeof value.line === 'number' && typeof value.character === 'number';
const isRange = (value: unknown): boolean => isObject(value) && isPosition(value.start) && isPosition(value.end);

const NEEDS = {
  text: [
    '`textDocument.uri`, a text',
    ({ textDocument }) => isObject(textDocument) && typeof textDocument.uri === 'string',
  ],
  position: ['`position`, with the numbers `line` and `character`', ({ position }) => isPosition(position)],
  range: ['`range`, with the positions `start` and `end`', ({ range }) => isRange(range)],
  positions: [
    '`positions`, a list of positions',
    ({ positions }) => Array.isArray(positions) && positions.every((one) => isPosition(one)),
  ],
  newName: ['`newName`, a text', ({ newName }) => typeof newName === 'string'],
  query: ['`query`, a text', ({ query }) => typeof query === 'string'],
  item: [
    '`item`, as the server has given it',
    ({ item }) => isObject(item) && typeof item.uri === 'string' && isRange(item.selectionRange),
  ],
  command: ['`command`, a text', ({ command }) => typeof command === 'string'],
  context: ['`context.diagnostics`, a list', ({ context }) => isObject(context) && Array.isArray(context.diagnostics)],
  files: [
    '`files`, a list with the texts `oldUri` and `newUri`',
    ({ files }) =>
      Array.isArray(files) &&
      files.every((one) => isObject(one) && typeof one.oldUri === 'string' && typeof one.newUri === 'string'),
  ],
} satisfies Readonly<Record<string, readonly [what: string, has: (params: Members) => boolean]>>;

type Need = keyof typeof NEEDS;

const AT_POSITION: ReadonlySet<string> = new Set([
  ...['hover', 'definition', 'declaration', 'typeDefinition', 'implementation', 'references', 'documentHighlight'],
  ...['prepareRename', 'rename', 'completion', 'signatureHelp', 'prepareCallHierarchy'],
]);

const MORE: Readonly<Record<string, readonly Need[]>> = {
  'textDocument/rename': ['newName'],
  'textDocument/semanticTokens/range': ['range'],
  'textDocument/inlayHint': ['range'],
  'textDocument/rangeFormatting': ['range'],
  'textDocument/codeAction': ['range', 'context'],
  'textDocument/selectionRange': ['positions'],
  'workspace/symbol': ['query'],
  'workspace/executeCommand': ['command'],
  'workspace/willRenameFiles': ['files'],
  'callHierarchy/incomingCalls': ['item'],
  'callHierarchy/outgoingCalls': ['item'],
  'statedsl/graph': ['text'],
};

function needsOf(method: string): readonly Need[] {
  const [room, name = ''] = method.split('/');
  const usual: Need[] = room !== 'textDocument' ? [] : AT_POSITION.has(name) ? ['text', 'position'] : ['text'];
  return [...usual, ...(MORE[method] ?? [])];
}

/** What the parameters of a request lack, in words; null: nothing. */
export function lackOf(method: string, params: unknown): string | null {
  if (!isObject(params)) return `\`${method}\` needs an object as parameters`;
  const lacking = needsOf(method).find((need) => !NEEDS[need][1](params));
  return lacking === undefined ? null : `\`${method}\` needs ${NEEDS[lacking][0]}`;
}
