/** Messages about files and values on the command line. */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { Span } from '../diagnostic.js';
import { list, message } from './message.js';

export const commandLineMessages = {
  invalidUtf8: message<{ byte: number }>('invalid-utf8', 'error', (f) => ({
    message: `byte ${f.byte} of this file is not valid UTF-8`,
    help: 'save the file as UTF-8',
  })),
  nulByte: message<{ byte: number }>('nul-byte', 'error', (f) => ({
    message: `byte ${f.byte} of this file is U+0000, which a program cannot contain`,
    help: 'this looks like a binary file; name the file of the program',
  })),
  engineFiles: message<{ file: string; later: Span }>('engine-files', 'warning', (f) => ({
    message: `the file \`${f.file}\` may be on another machine when it is needed`,
    label: 'written by the worker that has this turn of the run',
    labels: [{ span: f.later, text: 'named here, perhaps on another worker' }],
    help: 'give the workers a directory with `--shared`, bind the run to workers with `--home NAME`, or pass the content on in a variable',
  })),
  unpaidCall: message<{ agent: string; most: number; limit: number }>('unpaid-call', 'warning', (f) => ({
    message: `a call of \`${f.agent}\` may cost $${f.most}, more than the budget of $${f.limit}, so it never starts`,
    label: 'ends the run with `limit`',
    help: 'raise `LIMIT: cost`, or give the agent a lower `max_cost`',
  })),
  missingInput: message<{ name: string; machine: string; hint: string }>('missing-input', 'error', (f) => ({
    message: `the input \`${f.name}\` of \`${f.machine}\` has no value`,
    label: 'required, because it has no default',
    help: `pass it with \`-i ${f.name}=${f.hint}\``,
  })),
  unknownInput: message<{
    name: string;
    machine: string;
    near: string | undefined;
    names: readonly string[];
    isWorkflow: boolean;
    /** Only the edited program of a resumed run has it. */
    isNew?: boolean;
  }>('unknown-input', 'error', (f) => ({
    message: f.isNew
      ? `the run began without the input \`${f.name}\``
      : `\`${f.name}\` is not an input of \`${f.machine}\``,
    label: f.isNew
      ? 'the inputs of a run are fixed when it begins'
      : f.isWorkflow
        ? '`inputs:` of the workflow does not have this name'
        : 'no `INPUT:` declares this name',
    help: f.isNew
      ? `give it a default in the edited program: ${f.isWorkflow ? `\`${f.name}: …\` below \`inputs:\`` : `\`INPUT: ${f.name} = …\``}`
      : f.near !== undefined
        ? `did you mean \`${f.near}\`?`
        : f.names.length > 0
          ? `${f.names.length === 1 ? 'its input is' : 'its inputs are'} ${list(f.names)}`
          : `it has no inputs; declare one with ${f.isWorkflow ? `\`${f.name}:\` below \`inputs:\`` : `\`INPUT: ${f.name}\``}`,
  })),
  inputTwice: message<{ name: string }>('input-given-twice', 'error', (f) => ({
    message: `the input \`${f.name}\` is given twice`,
    label: 'given again here',
    help: 'keep one of the two',
  })),
  inputAmbiguous: message<{ name: string; problem: string }>('input-given-twice', 'error', (f) => ({
    message: `the value of the input \`${f.name}\` ${f.problem}`,
    help: 'keep one of the two',
  })),
  titleOrInput: message<{ text: string }>('input-form', 'error', (f) => ({
    message: '`--name` is what the run is called, and this program has an input `name`',
    help: `write \`-i name=${/^[\w./:@-]+$/.test(f.text) ? f.text : `'${f.text}'`}\` for the input; with it, \`--name\` names the run`,
  })),
  inputForm: message<{ name: string }>('input-form', 'error', (f) => ({
    message: 'an input must be a name, `=` and a value',
    help: `write \`-i ${f.name}=text\`, \`-i ${f.name}:=JSON\`, or \`-i ${f.name}=@file\` for the text of a file`,
  })),
  inputType: message<{
    name: string;
    wanted: string;
    found: string;
    isDefault: boolean;
    help: string | undefined;
  }>('input-type', 'error', (f) => ({
    message: `the input \`${f.name}\` ${f.isDefault ? 'has' : 'is declared as'} ${f.wanted}${f.isDefault ? ' as its default' : ''}, but this is ${f.found}`,
    ...omitUndefined({ help: f.help }),
  })),
  inputNotJson: message<{ name: string; isFile: boolean; isText: boolean }>('input-not-json', 'error', (f) => ({
    message: `${f.isFile ? 'the file' : 'the text'} after \`:=\` for the input \`${f.name}\` is not JSON`,
    help: f.isText
      ? `write \`-i ${f.name}=…\` for text`
      : `JSON is written \`-i ${f.name}:='{"a": [1, true]}'\`; \`-i ${f.name}=…\` is text`,
  })),
  inputChoice: message<{ name: string; choices: readonly string[]; near: string | undefined }>(
    'input-choice',
    'error',
    (f) => ({
      message: `the input \`${f.name}\` must be one of ${list(f.choices)}`,
      ...omitUndefined({ help: f.near === undefined ? undefined : `did you mean \`${f.near}\`?` }),
    }),
  ),
  inputTooDeep: message<{ name: string; limit: number }>('input-too-deep', 'error', (f) => ({
    message: `the value of the input \`${f.name}\` is nested deeper than ${f.limit} levels`,
  })),
  inputUnreadable: message<{
    name: string;
    path: string;
    reason: string;
    isJson: boolean;
  }>('input-unreadable', 'error', (f) => ({
    message: `cannot read \`${f.path}\` for the input \`${f.name}\`: ${f.reason}`,
    help: f.isJson ? 'name a file that contains JSON' : `a text that begins with \`@\` is written \`-i ${f.name}=@@…\``,
  })),
  inputFile: message<{ reason: string }>('input-file', 'error', (f) => ({
    message: `this input file cannot be used: ${f.reason}`,
    help: 'write one object with the inputs as its members',
  })),
  missingEntryValue: message<{ state: string; names: readonly string[]; example: string }>(
    'missing-start-value',
    'error',
    (f) => ({
      message: `to start in state \`${f.state}\`, a run needs ${list(f.names)}`,
      help: `write \`--start "${f.example}"\``,
    }),
  ),
  unknownEntryValue: message<{ state: string; name: string; near: string | undefined }>(
    'unknown-start-value',
    'error',
    (f) => ({
      message: `the state \`${f.state}\` has no entry value \`${f.name}\``,
      ...omitUndefined({ help: f.near === undefined ? undefined : `did you mean \`${f.near}\`?` }),
    }),
  ),
};
