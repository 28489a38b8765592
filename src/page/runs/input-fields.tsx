/** The inputs of a program as fields of a form: each asks for what the program takes, and says what is sent. */
import type { ListedInput } from '../../app/programs.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { jsonProblem, typeWords } from '../acting/read-value.js';

type InputKind = 'text' | 'number' | 'boolean' | 'json' | 'choice';

/** What the program takes: as it is declared, or as its default is. */
export function kindOf({ type, choices, default: standard }: ListedInput): InputKind {
  if (choices !== null) return 'choice';
  const given = type ?? typeOfDefault(standard);
  if (given === 'number' || given === 'boolean') return given;
  return given === 'list' || given === 'object' ? 'json' : 'text';
}

function typeOfDefault(standard: string | null): string {
  try {
    const value: unknown = JSON.parse(standard ?? '""');
    return Array.isArray(value) ? 'list' : typeof value;
  } catch {
    return 'string';
  }
}

/** The JSON text of what a person wrote. Null: nothing, so that the default holds. */
export function jsonOf(kind: InputKind, text: string): string | null {
  if (text === '') return null;
  return kind === 'text' || kind === 'choice' ? JSON.stringify(text) : text.trim();
}

/** Why it cannot be sent; null: it can. */
export function inputProblem(input: ListedInput, text: string): string | null {
  if (text === '') return input.required ? 'is needed' : null;
  const kind = kindOf(input);
  if (kind === 'number') return /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i.test(text.trim()) ? null : 'must be a number';
  if (kind !== 'json') return null;
  const wrong = jsonProblem(text) ?? (/^\s*[[{]/.test(text) ? null : 'must be a list or an object, as JSON');
  const isList = /^\s*\[/.test(text);
  if (wrong === null && input.type !== null && isList !== (input.type === 'list'))
    return `must be ${withArticle(input.type)}`;
  return wrong;
}

const withArticle = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`);

interface InputFieldProps {
  readonly input: ListedInput;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

export function InputField({ input, text, onChange }: InputFieldProps) {
  const { name, required, default: standard, secret } = input;
  const kind = kindOf(input);
  const problem = inputProblem(input, text);
  const change = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }): void =>
    onChange(currentTarget.value);
  const common = { id: `input-${name}`, value: text, required, 'aria-describedby': `about-${name}` };
  const usual = standard === null ? (required ? '' : 'as the program has it') : `default: ${visibleLine(standard)}`;
  return (
    <div class="field">
      <label htmlFor={common.id} class="mono">
        {visibleLine(name)}
      </label>
      {kind === 'choice' || kind === 'boolean' ? (
        <select {...common} onChange={change}>
          <option value="">{required ? 'Choose …' : usual}</option>
          {(kind === 'boolean' ? ['true', 'false'] : (input.choices ?? [])).map((one) => (
            <option key={one} value={one}>
              {visibleLine(one)}
            </option>
          ))}
        </select>
      ) : kind === 'json' ? (
        <textarea {...common} rows={3} class="mono" placeholder={usual} onInput={change} />
      ) : (
        <input
          {...common}
          {...(secret ? ({ type: 'password' } as const) : ({ type: 'text' } as const))}
          autocomplete="off"
          inputMode={kind === 'number' ? 'decimal' : undefined}
          placeholder={usual}
          onInput={change}
        />
      )}
      <span id={`about-${name}`} class={problem === null || text === '' ? 'faint small' : 'wrong small'}>
        {aboutOf(input, { text, problem })}
      </span>
    </div>
  );
}

function aboutOf(
  input: ListedInput,
  { text, problem }: { readonly text: string; readonly problem: string | null },
): string {
  if (problem !== null) return problem;
  const kind = kindOf(input);
  if (text === '') return input.secret ? 'a secret: it is in no record' : '';
  return `is sent as ${kind === 'text' || kind === 'choice' ? 'a text' : typeWords(text)}`;
}
