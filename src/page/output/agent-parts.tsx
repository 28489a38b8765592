/** What an agent was asked, and the tools that it called, above its answer. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import { isObject } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import { escapeControls, visibleLine } from '../../views/drawing/visible-text.js';
import type { ScreenModel } from '../run/screen-model.js';
import type { RequestedOutput } from './attempts.js';
import { openOutput } from './read-output.js';

interface AgentPartsProps {
  readonly model: ScreenModel;
  readonly request: RequestedOutput;
  readonly isLive: boolean;
}

export function AgentParts({ model, request, isLive }: AgentPartsProps) {
  const prompt = usePrompt(model, request);
  return (
    <>
      {prompt !== null && (
        <details class="prompt" open={prompt.length < SHORT}>
          <summary>Prompt</summary>
          <pre class="scroll" tabIndex={0} role="region" aria-label="Prompt">
            {escapeControls(prompt)}
          </pre>
        </details>
      )}
      {!isLive && <ToolCalls model={model} effect={request.effect} />}
      <h3 class="answer-title">Answer</h3>
    </>
  );
}

/** A prompt that is shown without asking for it. */
const SHORT = 600;

/** Null: it is not known (yet). */
function usePrompt({ data, run }: ScreenModel, { prompt, artifact }: RequestedOutput): string | null {
  const [read, setRead] = useState<string | null>(null);
  useEffect(() => {
    if (prompt !== undefined || artifact === undefined) return;
    const controller = new AbortController();
    data.artifact(run, artifact, controller.signal).then(setRead, () => undefined);
    return () => controller.abort();
  }, [artifact]);
  return prompt ?? read;
}

interface ToolCallsProps {
  readonly model: ScreenModel;
  readonly effect: string;
}

/** The calls of tools in what the program of the agent printed. */
function ToolCalls({ model: { data, run }, effect }: ToolCallsProps) {
  const reader = useMemo(
    () => openOutput(data, { run, effect, stream: 'stdout', isLive: false, raw: true }),
    [data, run, effect],
  );
  useEffect(() => () => reader.close(), [reader]);
  const { text } = reader.shown.value;
  const calls = useMemo(() => toolCallsIn(text), [text]);
  if (calls.length === 0) return null;
  return (
    <details class="tool-calls" open={calls.length <= FEW}>
      <summary>
        {calls.length} {calls.length === 1 ? 'tool call' : 'tool calls'}
      </summary>
      <ol class="scroll" tabIndex={0} aria-label="Tool calls">
        {calls.map(({ name, input }, at) => (
          <li key={at}>
            <strong>{visibleLine(name)}</strong> <code title={visibleLine(input)}>{visibleLine(input)}</code>
          </li>
        ))}
      </ol>
    </details>
  );
}

const FEW = 8;

export interface ToolCallLine {
  readonly name: string;
  readonly input: string;
}

const CALLS: ReadonlySet<string> = new Set(['tool', 'tool_use', 'tool_call', 'function_call', 'command_execution']);
const DEEPEST = 6;

/** Each line is an event of the agent's program; programs differ in where they put a call, but not in how they call it. */
export function toolCallsIn(text: string): ToolCallLine[] {
  const calls: ToolCallLine[] = [];
  const known = new Set<string>();
  const visit = (value: Json, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > DEEPEST) return;
    if (Array.isArray(value)) for (const one of value as readonly Json[]) visit(one, depth + 1);
    if (!isObject(value)) return;
    const { type, name, tool, input, arguments: given, command, id, status } = value as Readonly<Record<string, Json>>;
    const called =
      typeof name === 'string'
        ? name
        : typeof tool === 'string'
          ? tool
          : typeof command === 'string'
            ? 'command'
            : null;
    if (typeof type === 'string' && CALLS.has(type) && called !== null) {
      // A program reports the begin and the end of a call.
      const key = typeof id === 'string' ? id : null;
      if ((key === null || !known.has(key)) && !(key === null && status === 'completed')) {
        if (key !== null) known.add(key);
        const what = input ?? given ?? command ?? '';
        calls.push({ name: called, input: typeof what === 'string' ? what : JSON.stringify(what) });
      }
      return;
    }
    for (const inner of Object.values(value)) visit(inner as Json, depth + 1);
  };
  for (const line of text.split('\n')) {
    if (!line.startsWith('{')) continue;
    try {
      visit(JSON.parse(line) as Json, 0);
    } catch {
      // A line that was cut off.
    }
  }
  return calls;
}
