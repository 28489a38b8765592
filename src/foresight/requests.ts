/** What an exploration remembers of requests: a restored run does not make them again. */
import type { EffectRequest } from '../interpreter/request.js';
import type { Pending } from '../interpreter/run-state/pending.js';
import { mentionsUnknown } from './unknown/knowledge.js';

/** What an outcome depends on of a request, as long as it is open. */
export interface RequestFacts {
  readonly kind: Pending['kind'];
  readonly text: string;
  readonly state: string;
  readonly line: number;
  readonly tool: string | null;
  readonly ok?: readonly number[] | 'any';
  readonly hasTimeout: boolean;
  /** It must not run twice. */
  readonly isOnce?: boolean;
  /** The agent that is called, which is not always the tool. */
  readonly agent?: string;
  readonly answerFile?: string;
  readonly alternatives?: number;
  readonly choices?: readonly string[] | null;
  readonly name?: string;
  readonly action?: string;
  readonly isPlanCheck?: boolean;
  readonly hasGuards?: boolean;
  /** Whether unknown values are parts of what is passed on, which may not fit there. */
  readonly hasValues?: boolean;
  readonly hasSchema?: boolean;
  /** Where the result is written first, as programs name it. */
  readonly output?: string;
  /** It is a program, and its output must be JSON. */
  readonly printsResult?: boolean;
  /** It is a function of a module, which gives failures codes of its own and any value of JavaScript as its result. */
  readonly isFunction?: boolean;
}

export function requestFacts(request: EffectRequest): RequestFacts {
  const common = {
    kind: request.kind,
    text: request.kind as string,
    state: '',
    line: 0,
    tool: null,
    hasTimeout: false,
  };
  switch (request.kind) {
    case 'shell':
    case 'argv':
    case 'function':
    case 'agent':
    case 'tool': {
      const { text, state, line, tool, ok = [0], timeoutMs, once } = request;
      const facts = {
        kind: request.kind,
        text,
        state,
        line,
        tool,
        ok,
        hasTimeout: timeoutMs !== null,
        ...(once ? { isOnce: true } : {}),
        ...(mentionsUnknown({ ...request, text: '', tool: '' }) ? { hasValues: true } : {}),
      };
      if (request.kind === 'tool') {
        const isPlanCheck = request.calls.kind === 'plan';
        const { alternatives, schema } = request.call;
        const output = alternatives[0]?.[0];
        const printsResult = request.calls.kind === 'run';
        const isFunction = request.calls.kind === 'module';
        return {
          ...facts,
          alternatives: alternatives.length,
          isPlanCheck,
          hasSchema: schema !== null,
          printsResult,
          isFunction,
          output: output ?? text,
        };
      }
      if (request.kind !== 'agent') return facts;
      const { agent, answerFile, call, guards } = request;
      return {
        ...facts,
        agent,
        ...(answerFile === undefined ? {} : { answerFile }),
        ...(call === undefined ? {} : { alternatives: call.alternatives.length, hasSchema: call.schema !== null }),
        hasGuards: guards !== undefined && Object.keys(guards).length > 0,
      };
    }
    case 'ask':
      return { ...common, text: request.question, choices: request.choices, name: request.name };
    case 'signal':
      return { ...common, text: request.name, name: request.name };
    case 'worktree':
      return { ...common, action: request.action.do };
    default:
      return common;
  }
}
