/** Small grammars for the other languages that programs are written in: workflows in YAML, plans in JSON, pages in Markdown. */

/** What a grammar for editors consists of, as far as these use it. */
interface GrammarRule {
  readonly match?: string;
  readonly begin?: string;
  readonly end?: string;
  readonly name?: string;
  readonly captures?: Readonly<Record<string, { readonly name: string }>>;
  readonly beginCaptures?: Readonly<Record<string, { readonly name: string }>>;
  readonly patterns?: readonly GrammarRule[];
}

const REFERENCE: GrammarRule = {
  match: '†[\\p{L}\\p{N}_$.\\[\\]-]*|\\{[a-z_][\\w.?()]*\\}',
  name: 'keyword.other.reference',
};
const QUOTED: GrammarRule = {
  begin: '"',
  end: '"|$',
  name: 'string.quoted.double',
  patterns: [REFERENCE, { match: '\\\\.', name: 'constant.character.escape' }],
};
const WORDS: GrammarRule = { match: '\\b(true|false|null)\\b', name: 'constant.language' };
const NUMBER: GrammarRule = {
  match: '(?<![\\w.])-?\\d+(\\.\\d+)?([eE][+-]?\\d+)?(?![\\w.])',
  name: 'constant.numeric',
};

const json: readonly GrammarRule[] = [
  { match: '"(?:[^"\\\\]|\\\\.)*"(?=\\s*:)', name: 'entity.name.function' },
  QUOTED,
  WORDS,
  NUMBER,
];

const yaml: readonly GrammarRule[] = [
  { match: '(^|\\s)#.*$', name: 'comment.line' },
  {
    match: '^(\\s*(?:- +)*)([\\w.$-]+|"[^"]*"|\'[^\']*\')(:)(?=\\s|$)',
    captures: { 2: { name: 'entity.name.function' }, 3: { name: 'punctuation' } },
  },
  { match: '(?<=[{,] )[\\w.$-]+(?=:)', name: 'entity.name.function' },
  QUOTED,
  { match: "'[^']*'", name: 'string.quoted.single' },
  { match: '[|>][+-]?$', name: 'keyword.operator' },
  REFERENCE,
  WORDS,
  NUMBER,
];

const markdown: readonly GrammarRule[] = [
  { match: '^#{1,6} .*$', name: 'keyword.heading' },
  { begin: '^---$', end: '^---$', name: 'comment', patterns: yaml },
  { begin: '^\\s*(```|~~~).*$', end: '^\\s*(```|~~~)\\s*$', name: 'string.other' },
  { match: '`[^`]*`', name: 'string.other' },
  { match: '\\*\\*[^*]+\\*\\*', name: 'keyword.other' },
  { match: '^\\s*([-*]|\\d+\\.)(?= )', name: 'punctuation.definition.list' },
  { match: '(\\[)([^\\]]*)(\\]\\()([^)]*)(\\))', captures: { 4: { name: 'string.other.link' } } },
  REFERENCE,
];

/** As the highlighter wants them. */
export const DATA_GRAMMARS = Object.entries({ json, yaml, markdown }).map(([name, patterns]) => ({
  ...{ name, scopeName: `source.${name}`, patterns, repository: {} },
}));

export type Language = 'statedsl' | 'json' | 'yaml' | 'markdown';

/** The language of a file. */
export function languageOf(name: string): Language {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase();
  switch (extension) {
    case 'json':
      return 'json';
    case 'yaml':
    case 'yml':
      return 'yaml';
    case 'md':
      return 'markdown';
    default:
      return 'statedsl';
  }
}
