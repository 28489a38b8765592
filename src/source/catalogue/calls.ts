/** Messages about data references in programs, and about the plans and tools that programs call. */

import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Label } from '../diagnostic.js';
import { didYouMean, message } from './message.js';

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
