/** The mutants of a source file: small mistakes that somebody could make, each as one edit of its text. */
import ts from 'typescript';

const SWAPPED = new Map([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
]);

/** Each with the edit, the line, and what a reader is told: `a < b` becomes `a <= b`. */
export function mutantsOf(path, text) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const found = [];
  const add = (node, replacement, shown = node) => {
    const [start, end] = [node.getStart(file), node.getEnd()];
    const { line } = file.getLineAndCharacterOfPosition(start);
    const [from, to] = [shown.getStart(file), shown.getEnd()];
    const was = text.slice(from, to);
    const becomes = text.slice(from, start) + replacement + text.slice(end, to);
    found.push({ path, start, end, replacement, line: line + 1, was: short(was), becomes: short(becomes) });
  };
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node)) return;
    const condition = conditionOf(node);
    if (condition !== null) add(condition, `!(${condition.getText(file)})`);
    if (ts.isExpressionStatement(node) && !ts.isSatisfiesExpression(node.expression)) add(node, ';');
    if (ts.isBinaryExpression(node)) {
      const other = SWAPPED.get(node.operatorToken.kind);
      // Texts are joined with `+`, too: without one of them being a number, `-` is nothing that anybody writes.
      if (other !== undefined && !joinsTexts(node)) add(node.operatorToken, other, node);
    }
    if (ts.isNumericLiteral(node) && !isLimit(node.parent, file)) add(node, String(Number(node.text) + 1), node.parent);
    if (ts.isArrayLiteralExpression(node) && node.elements.length > 0) add(node, '[]');
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

function conditionOf(node) {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return node.expression;
  return ts.isConditionalExpression(node) ? node.condition : null;
}

/** A limit with a name may as well be one more. */
function isLimit(parent, file) {
  if (ts.isBinaryExpression(parent)) return isLimit(parent.parent, file);
  return ts.isVariableDeclaration(parent) && /^[A-Z_]+$/.test(parent.name.getText(file));
}

function joinsTexts({ operatorToken, left, right }) {
  if (operatorToken.kind !== ts.SyntaxKind.PlusToken) return false;
  return [left, right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side));
}

function short(text) {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= 90 ? line : `${line.slice(0, 89)}…`;
}
