/**
 * Hostile values in every context under both shells: printed byte for byte, and never executed. Each context takes its
 * share of the values, another one than its neighbours; in the long tests it takes all of them.
 */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are shell texts
import { describe, expect, it } from 'vitest';
import { amount } from '../amount.js';
import { hostileValues, type ShellContextCase, shellContexts } from './hostile.js';
import { compiled, runText, type Shell } from './run-script.js';

const END = '\0';

/** One script that tries all values in one context, so that a process serves many of them. */
function manyValues(context: ShellContextCase, values: readonly string[]): string {
  return values
    .map((value) => {
      const at = hostileValues.indexOf(value);
      const text = context.text.replace(/(?<!\\)\{(v|pair\*)\}/g, (_all, name: string) =>
        name === 'v' ? `{v${at}}` : `{pair${at}*}`,
      );
      return `(\n${text}\n)\nprintf '\\000'\n`;
    })
    .join('');
}

function valueNamed(name: string) {
  if (name === 'none') return { list: [] };
  const text = hostileValues[Number(name.replace(/^\D+/, ''))] as string;
  return name.startsWith('pair') ? { list: [text, 'x y', text] } : { text };
}

describe.each<Shell>(['bash', 'sh'])('values under %s', (shell) => {
  const contexts = shellContexts.filter(({ only }) => only === undefined || only === shell);
  const share = (at: number) => hostileValues.filter((_, index) => (index + at) % amount(20, 1) === 0);
  const tried = contexts.map((context, at) => [context.name, context, share(at)] as const);
  it.concurrent.for(tried)('%s', async ([, context, values], { expect }) => {
    const ran = await runText(manyValues(context, values), valueNamed, { shell, env: { HOME: '/nowhere' } });
    expect(ran.stdout.split(END).slice(0, -1)).toEqual(values.map((value) => context.expected(value)));
    expect(ran.canary).toBe(false);
  });
});

describe('the contexts themselves', () => {
  it.each(shellContexts)('$name has no unsafe position', ({ text }) => {
    const errors = compiled(text)
      .findings.map(({ start, end, make }) => make({ file: 0, start, end }))
      .filter(({ severity }) => severity === 'error');
    expect(errors).toEqual([]);
  });

  it('executes a value that is spliced with raw()', async () => {
    const ran = await runText('raw({v})', () => ({ text: 'touch CANARY' }));
    expect(ran.canary).toBe(true);
  });

  it('keeps a value in one place, whatever else it looks like', async () => {
    const ran = await runText("printf '%s' {a} {b}", (name) => ({ text: name === 'a' ? '{b}' : '${__sd0}' }));
    expect(ran.stdout).toBe('{b}${__sd0}');
  });
});
