/** One debugging session: what its requests do. */
import type { Socket } from 'node:net';
import { AdapterRefusal, type Handlers, type Reply, type RequestArguments, textIn } from './adapter-protocol.js';
import { reachRun } from './attached.js';
import { Debuggee, type DebuggeeOptions } from './debuggee.js';
import { deciding } from './deciding.js';
import { RunInspection } from './inspection.js';
import { moving } from './moving.js';
import { exceptionFilters, stopping } from './stopping.js';

/** Each is the name of a test. */
export const capabilities = {
  supportsConfigurationDoneRequest: true,
  supportsFunctionBreakpoints: true,
  supportsConditionalBreakpoints: true,
  supportsHitConditionalBreakpoints: true,
  supportsEvaluateForHovers: true,
  supportsStepBack: true,
  supportsSetVariable: true,
  supportsSetExpression: true,
  supportsGotoTargetsRequest: true,
  supportsStepInTargetsRequest: true,
  supportsCompletionsRequest: true,
  completionTriggerCharacters: ['.', ':', '†'],
  supportsModulesRequest: true,
  supportsExceptionOptions: false,
  supportsExceptionInfoRequest: true,
  supportsExceptionFilterOptions: true,
  exceptionBreakpointFilters: exceptionFilters,
  supportTerminateDebuggee: true,
  supportsDelayedStackTraceLoading: true,
  supportsLoadedSourcesRequest: true,
  supportsLogPoints: true,
  supportsTerminateRequest: true,
  supportsDataBreakpoints: true,
  supportsCancelRequest: true,
  supportsBreakpointLocationsRequest: true,
  supportsSteppingGranularity: true,
  supportsRestartRequest: true,
  supportsRestartFrame: true,
} as const;

/** They do not wait behind other requests. */
const URGENT: ReadonlySet<string> = new Set(['disconnect', 'terminate', 'pause', 'cancel']);

export class Session {
  private readonly debuggee: Debuggee;
  private readonly handlers: Handlers;

  constructor(private readonly options: DebuggeeOptions) {
    this.debuggee = new Debuggee(options);
    const inspection = new RunInspection(this.debuggee);
    this.handlers = {
      ...this.starting(),
      ...stopping(this.debuggee),
      ...moving(this.debuggee),
      ...inspection.handlers,
      ...deciding(this.debuggee, inspection),
    };
  }

  isUrgent(command: string): boolean {
    return URGENT.has(command);
  }

  async handle(command: string, given: RequestArguments): Promise<Reply> {
    const handler = Object.hasOwn(this.handlers, command) ? this.handlers[command] : undefined;
    if (handler === undefined) throw new AdapterRefusal(`the request \`${command}\` is not known here`);
    return handler(given);
  }

  /** A connection to the process that executes a run; null: none does, or it does not answer. */
  reach(given: RequestArguments, by: string): Promise<Socket | null> {
    const { folder } = this.options;
    return reachRun({ folder, dir: textIn(given, 'dir'), run: textIn(given, 'run') ?? '' }, by);
  }

  private starting(): Handlers {
    const { debuggee, options } = this;
    return {
      initialize: () => ({ body: capabilities }),
      launch: async (given) => {
        await debuggee.launch(given);
        return { after: () => options.send('initialized') };
      },
      attach: async (given) => {
        if (typeof given.run !== 'string')
          throw new AdapterRefusal('`run` is the id of a run, or the beginning of it', true);
        if (options.live === undefined) await debuggee.launch({ ...given, program: undefined });
        else await debuggee.attach(given, options.live);
        return { after: () => options.send('initialized') };
      },
      configurationDone: async () => {
        await debuggee.finishConfiguration();
        return {};
      },
    };
  }

  clientLeft(): Promise<void> {
    return this.debuggee.clientLeft();
  }

  closeSession(): Promise<void> {
    return this.debuggee.closeDebuggee();
  }
}
