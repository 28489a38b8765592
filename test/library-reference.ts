/** The exported names of the library with their declarations and docstrings, as Markdown: what `npm run docs` writes. */
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

export interface PublicName {
  readonly name: string;
  /** It exists when the program runs: a function, a class or a constant. */
  readonly isValue: boolean;
  readonly documentation: string;
  /** Its declaration without what it does. */
  readonly declaration: string;
  /** Types of our sources in its signature. */
  readonly types: readonly string[];
}

let known: readonly PublicName[] | null = null;

/** In alphabetical order. */
export function publicNames(): readonly PublicName[] {
  known ??= readNames();
  return known;
}

export function referenceText(): string {
  const names = publicNames();
  const functions = names.filter(({ isValue }) => isValue);
  const types = names.filter(({ isValue }) => !isValue);
  return [
    'Printed from the declarations by `npm run docs`.',
    '### Functions and classes',
    ...functions.map(section),
    '### Types',
    ...types.map(section),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

function section({ name, documentation, declaration }: PublicName): string {
  return `#### ${name}\n\n${documentation}\n\n\`\`\`ts\n${declaration}\n\`\`\``;
}

function readNames(): PublicName[] {
  const file = join(root, 'src/index.ts');
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    root,
  );
  // What packages and the language itself declare is not ours to document, and takes most of the time to read.
  const own = { ...options, noEmit: true, noLib: true, types: [] };
  const host = ts.createCompilerHost(own);
  host.resolveModuleNameLiterals = (literals, containing) =>
    literals.map(({ text }) =>
      text.startsWith('.') ? ts.resolveModuleName(text, containing, own, host) : { resolvedModule: undefined },
    );
  const program = ts.createProgram([file], own, host);
  const checker = program.getTypeChecker();
  const index = program.getSourceFile(file);
  const module = index === undefined ? undefined : checker.getSymbolAtLocation(index);
  if (module === undefined) throw new Error('src/index.ts is not a module');
  return checker
    .getExportsOfModule(module)
    .map((one) => describeSymbol(one, checker))
    .sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
}

function describeSymbol(exported: ts.Symbol, checker: ts.TypeChecker): PublicName {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const [declaration] = symbol.declarations ?? [];
  if (declaration === undefined) throw new Error(`${exported.name} has no declaration`);
  return {
    name: exported.name,
    isValue: (symbol.flags & ts.SymbolFlags.Value) !== 0,
    documentation: ts
      .displayPartsToString(symbol.getDocumentationComment(checker))
      .replace(/\s*\n\s*/g, ' ')
      .trim(),
    declaration: declarationText(declaration, checker),
    types: typesIn(declaration, checker),
  };
}

/** What others see of a declaration: no bodies, and no private members. */
function typesIn(declaration: ts.Declaration, checker: ts.TypeChecker): string[] {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isBlock(node) || ts.isPropertyDeclaration(node)) return;
    if (ts.isTypeReferenceNode(node)) add(node.typeName);
    else if (ts.isExpressionWithTypeArguments(node)) add(node.expression);
    ts.forEachChild(node, visit);
  };
  const add = (node: ts.Node): void => {
    const symbol = checker.getSymbolAtLocation(node);
    if (symbol === undefined || symbol.flags & ts.SymbolFlags.TypeParameter) return;
    const own = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const isOurs = own.declarations?.some((one) => one.getSourceFile().fileName.startsWith(join(root, 'src'))) === true;
    if (isOurs) found.add(own.name);
  };
  if (!ts.isVariableDeclaration(declaration)) visit(declaration);
  return [...found];
}

function declarationText(node: ts.Declaration, checker: ts.TypeChecker): string {
  const text = node.getText().replace(/^export (?:async )?/, '');
  if (ts.isFunctionDeclaration(node) && node.body !== undefined)
    return `function ${node
      .getText()
      .slice(
        node.name?.getStart() === undefined ? 0 : node.name.getStart() - node.getStart(),
        node.body.getStart() - node.getStart(),
      )
      .trim()}`;
  if (ts.isVariableDeclaration(node))
    return `const ${node.name.getText()}: ${checker.typeToString(checker.getTypeAtLocation(node))}`;
  if (ts.isClassDeclaration(node)) return classText(node);
  return text;
}

/** The parameters of the constructor, which are the members of our errors too. */
function classText(node: ts.ClassDeclaration): string {
  const parent = node.heritageClauses?.[0]?.getText() ?? '';
  const [made] = node.members.filter(ts.isConstructorDeclaration);
  const members = (made?.parameters ?? []).map((one) => `  ${one.getText()};`);
  return `class ${node.name?.text} ${parent} {\n${members.join('\n')}\n}`;
}
