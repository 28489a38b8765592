/**
 * Puts values into shell text without putting a byte of them into its source: each value is passed in the environment,
 * a prelude on the first line copies it to a variable and removes the export, and the text contains a quoted reference.
 * Children inherit nothing, and the line numbers of the shell stay those of the text.
 */
import type { ShellValue } from '../../interpreter/request.js';
import type { ShellContext, ShellInsertion, ShellText } from '../../machine/expression.js';
import { unreachable } from '../../prelude/unreachable.js';

/** The maximum bytes of one argument or environment string on Linux, without its final zero. */
export const ARGUMENT_BYTES = 131_071;
/** Scripts with more bytes are passed to the shell as a file. */
export const SCRIPT_ARGUMENT_BYTES = ARGUMENT_BYTES;

/** The maximum bytes of a value in one environment string, because the name counts too. */
const STRING_BYTES = 100 * 1024;
/**
 * The maximum bytes of all values in the environment. Arguments and the inherited environment share the limit of the
 * system.
 */
const ENVIRONMENT_BYTES = 1024 * 1024;
/** The bytes of an environment string in addition to its value: name, `=`, zero and a pointer. */
const STRING_OVERHEAD = 32;
/** The maximum number of list elements in files, because a separate process reads each of them. */
const MOST_FILES = 256;

interface BindOptions {
  readonly shell: 'bash' | 'sh';
  /** Writes a text to a private file of the run and returns its absolute path. */
  readonly scratchFile: (text: string) => string;
  /** Where the shell reports the exit codes of the members of a pipe that fails; absent or null: it does not. */
  readonly pipeReport?: string | null;
}

type BoundShellText =
  | { readonly ok: true; readonly script: string; readonly env: Record<string, string> }
  /** `bad_value` or `value_too_large`. */
  | { readonly ok: false; readonly errorType: string; readonly message: string };

type UnboundShellText = Extract<BoundShellText, { ok: false }>;

/** The state while the values of one text are bound. */
interface BindingState {
  readonly options: BindOptions;
  readonly env: Record<string, string>;
  readonly prelude: string[];
  readonly unset: string[];
  count: number;
  files: number;
  bytes: number;
  /** The bytes of each word that is an argument of an external program and contains values. */
  readonly words: Map<number, number>;
}

/** Binds one value to each hole, in order. */
export function bindShellText(
  template: ShellText,
  values: readonly ShellValue[],
  options: BindOptions,
): BoundShellText {
  const binding: BindingState = {
    options,
    env: {},
    prelude: [],
    unset: [],
    count: 0,
    files: 0,
    bytes: 0,
    words: new Map(),
  };
  const { pipeReport = null } = options;
  if (pipeReport !== null) binding.prelude.push(reportPipes(binding, pipeReport));
  const written: string[] = [];
  let next = 0;
  for (const part of template.parts) {
    if (typeof part === 'string') {
      written.push(part);
      continue;
    }
    const value = values[next++];
    const text =
      value === undefined ? refuse('bad_value', `\`${part.source}\` has no value`) : bind(binding, part, value);
    if (typeof text !== 'string') return text;
    written.push(text);
  }
  return { ok: true, script: prelude(binding) + written.join(''), env: binding.env };
}

function refuse(errorType: string, message: string): UnboundShellText {
  return { ok: false, errorType, message };
}

function prelude({ prelude, unset }: BindingState): string {
  return prelude.length === 0 ? '' : `${prelude.join('')}unset ${unset.join(' ')};`;
}

/**
 * bash runs this at each command that makes a script fail, and not in members of pipes, which are shells of their own. A
 * script may have set `IFS` or `noclobber`, and may replace the trap.
 */
function reportPipes(binding: BindingState, path: string): string {
  const name = setString(binding, 'SDP', path);
  const numbers = `printf "%s " "$LINENO" "\${PIPESTATUS[@]}"`;
  const report = `{ ${numbers};printf "\\n%s" "$BASH_COMMAND";} 2>/dev/null >|"$__sdp"||:`;
  return `__sdp=$${name};trap '${report}' ERR;`;
}

/** The text to write into the script for one hole. */
function bind(binding: BindingState, hole: ShellInsertion, value: ShellValue): string | UnboundShellText {
  if (!('list' in value)) {
    const text = prepareText(binding, hole, value.text, value.file === true);
    if (typeof text !== 'string') return text;
    return hole.raw === true ? text : inContext(hole.context, reference(binding, text));
  }
  const words: string[] = [];
  for (const element of value.list) {
    const text = prepareText(binding, hole, element, false);
    if (typeof text !== 'string') return text;
    words.push(hole.raw === true ? text : inContext('word', reference(binding, text)));
    if (binding.files > MOST_FILES)
      return refuse(
        'value_too_large',
        `\`${hole.source}\` is too long for a command line; pass \`${hole.source.replace(/\*\}$/, ':file}')}\` or use \`DO: |\``,
      );
  }
  return words.join(' ');
}

/** Checks a text and applies the filters that belong to the shell. */
function prepareText(
  binding: BindingState,
  hole: ShellInsertion,
  value: string,
  file: boolean,
): string | UnboundShellText {
  if (!file && value.includes('\0'))
    return refuse(
      'bad_value',
      `\`${hole.source}\` contains a NUL character, which an argument cannot contain; use \`:file\` or \`:json\``,
    );
  if (/\p{Surrogate}/u.test(value))
    return refuse('bad_value', `\`${hole.source}\` contains half of a surrogate pair, which is not a character`);
  // The compiler relies on this check when it allows a number in an expression.
  if (hole.filter === 'int' && !/^-?\d+$/.test(value))
    return refuse('bad_value', `\`${hole.source}\` is not a whole number`);
  if (file || hole.filter === 'file') return binding.options.scratchFile(value);
  const text = hole.filter === 'path' && value.startsWith('-') ? `./${value}` : value;
  return argumentFits(binding, hole, text) ?? text;
}

/** An argument of an external program is limited to 128 KiB in any shell. */
function argumentFits(binding: BindingState, hole: ShellInsertion, text: string): UnboundShellText | null {
  if (hole.argument !== true) return null;
  const own = byteLength(text);
  let bytes = own + (hole.word?.bytes ?? 0);
  if (hole.word !== undefined && hole.list !== true) {
    bytes = own + (binding.words.get(hole.word.id) ?? hole.word.bytes);
    binding.words.set(hole.word.id, bytes);
  }
  if (bytes <= ARGUMENT_BYTES) return null;
  const inFile = hole.source.replace(/(?::[a-z]+|\*)?\}$/, ':file}');
  return refuse(
    'value_too_large',
    `\`${hole.source}\` is ${own} bytes long, but an argument can have at most 128 KiB; pass \`${inFile}\`, or give it as input with \`DO: |\` or a here-document`,
  );
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

// ---- references -------------------------------------------------------------------------------------

function inContext(context: ShellContext, reference: string): string {
  switch (context) {
    case 'word':
      return `"${reference}"`;
    case 'double':
    case 'heredoc':
      return reference;
    case 'single':
      return `'"${reference}"'`;
    case 'ansi':
      return `'"${reference}"$'`;
    default:
      return unreachable(context);
  }
}

/** Passes a text to the script under a generated name, and returns the reference to it. */
function reference(binding: BindingState, text: string): string {
  const id = binding.count++;
  const name = `__sd${id}`;
  const bytes = byteLength(text);
  const strings = Math.ceil(bytes / STRING_BYTES) || 1;
  const cost = bytes + strings * STRING_OVERHEAD;
  if (binding.bytes + cost > ENVIRONMENT_BYTES) fromFile(binding, id, name, text);
  else {
    binding.bytes += cost;
    const names = strings === 1 ? [setString(binding, `SDV_${id}`, text)] : setStrings(binding, id, text);
    binding.prelude.push(`${name}=${names.map((each) => `$${each}`).join('')};`);
  }
  return `\${${name}}`;
}

function setString(binding: BindingState, name: string, text: string): string {
  binding.env[name] = text;
  binding.unset.push(name);
  return name;
}

/** Splits a text between characters, so that every environment string is valid by itself. */
function setStrings(binding: BindingState, id: number, text: string): string[] {
  const names: string[] = [];
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  const most = Math.floor(STRING_BYTES / 3);
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + most, text.length);
    if (end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1] as string)) end--;
    names.push(setString(binding, `SDV_${id}_${names.length}`, text.slice(at, end)));
    at = end;
  }
  return names;
}

/** The mark after the text preserves its final newlines, which a command substitution would remove. */
function fromFile(binding: BindingState, id: number, name: string, text: string): void {
  const path = setString(binding, `SDF_${id}`, binding.options.scratchFile(text));
  binding.files++;
  binding.prelude.push(`${name}=$(cat -- "$${path}"&&printf x)||exit 125;${name}=\${${name}%x};`);
}
