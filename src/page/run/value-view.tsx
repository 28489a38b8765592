/** A value: text as it is, lists and objects as trees. What is long is folded, and what could deceive is made visible. */
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { printIndented, printJson, readJson } from '../../interpreter/values/json.js';
import { isList, isObject, type Value } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import { countOf, size } from '../../views/drawing/amounts.js';
import { cut, escapeControls, visibleLine } from '../../views/drawing/visible-text.js';

const SHORT = 300;
/** More text would make the page slow. */
const LONGEST = 100_000;

interface ValueProps {
  readonly value: Json;
  /** Its JSON text, if a number in it was written differently, such as `1.10`. */
  readonly printed?: string | undefined;
  /** Lists and objects are shown as indented JSON. */
  readonly asJson?: boolean;
}

export function ValueView({ value, printed, asJson = false }: ValueProps) {
  const whole = useMemo(() => readValue(value, printed), [value, printed]);
  if (whole === null || whole === '') return <span class="faint">{whole === null ? 'null' : 'empty'}</span>;
  if (typeof whole === 'string') return <LongText text={whole} />;
  if (isLeaf(whole)) return <LongText text={printJson(whole)} isJson />;
  if (asJson) return <LongText text={printIndented(whole)} isJson />;
  return (
    <div class="tree">
      <Branch name={null} value={whole} isOpenFirst={sizeOf(whole) <= FEW} />
    </div>
  );
}

/** The name next to a value. A long one is in full under a pointer. */
export function ValueName({ name }: { readonly name: string }) {
  return (
    <dt class="mono" dir="ltr" title={visibleLine(name)}>
      {visibleLine(cut(name, LONGEST_NAME))}
    </dt>
  );
}

/** The value with its numbers as they were written. */
export function readValue(value: Json, printed: string | undefined): Value {
  const read = printed === undefined ? null : readJson(printed);
  return read?.ok === true ? read.value : (value as Value);
}

/** How many members a list or an object has; nothing else has any. */
function sizeOf(value: Value): number {
  return isList(value) ? value.length : isObject(value) ? Object.keys(value).length : 0;
}

/** The first members, with their names or positions. */
function membersOf(value: Value, most: number): (readonly [string, Value])[] {
  if (isList(value)) return value.slice(0, most).map((item, at) => [String(at), item]);
  return isObject(value) ? Object.entries(value).slice(0, most) : [];
}

/** So many members are visible before anybody asks for them. */
const FEW = 12;
/** So many more each time. */
const MORE = 100;
const LONGEST_LINE = 60;
const LONGEST_PREVIEW = 100;
const LONGEST_NAME = 80;

/** A list of a few numbers or words is as clear on one line. */
function isLeaf(value: Value): boolean {
  if (sizeOf(value) === 0) return true;
  const isFlat = isList(value) && value.length <= FEW && value.every((item) => sizeOf(item) === 0);
  return isFlat && previewOf(value, LONGEST_LINE + 1).length <= LONGEST_LINE;
}

/** The beginning of the JSON text of a value, without making all of it. */
export function previewOf(value: Value, room = LONGEST_PREVIEW): string {
  if (typeof value === 'string') return cut(JSON.stringify(value.slice(0, room)), room);
  if (sizeOf(value) === 0) return cut(printJson(value), room);
  const [open, close] = isList(value) ? '[]' : '{}';
  let text = `${open}`;
  for (const [name, item] of membersOf(value, room)) {
    if (text.length >= room) break;
    const label = isList(value) ? '' : `${JSON.stringify(name.slice(0, room))}:`;
    text += `${text.length === 1 ? '' : ','}${label}${previewOf(item, room)}`;
  }
  return cut(`${text}${close}`, room);
}

interface BranchProps {
  /** Null: it is the whole value. */
  readonly name: string | null;
  readonly value: Value;
  readonly isOpenFirst: boolean;
}

/** A list or an object: what it contains is indented below it while it is open. */
function Branch({ name, value, isOpenFirst }: BranchProps) {
  const [isOpen, setOpen] = useState(isOpenFirst);
  const [most, setMost] = useState(MORE);
  const preview = useMemo(() => (isOpen ? '' : escapeControls(previewOf(value))), [value, isOpen]);
  const count = sizeOf(value);
  return (
    <>
      <div class="branch">
        <button type="button" class="quiet fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>{' '}
          {name !== null && <MemberName name={name} isIndex={false} />}{' '}
          <span class="faint">{countOf(count, isList(value) ? 'item' : 'field')}</span>
        </button>
        {!isOpen && (
          <span class="preview mono faint" dir="ltr">
            {preview}
          </span>
        )}
      </div>
      {isOpen && (
        <ul>
          {membersOf(value, most).map(([member, item]) => (
            <li key={member}>
              <Member name={member} value={item} isIndex={isList(value)} />
            </li>
          ))}
          {count > most && (
            <li>
              <button type="button" class="quiet more" onClick={() => setMost(most + MORE)}>
                Show {countOf(Math.min(MORE, count - most), 'more item')} of {count}
              </button>
            </li>
          )}
        </ul>
      )}
    </>
  );
}

interface MemberProps {
  readonly name: string;
  readonly value: Value;
  readonly isIndex: boolean;
}

function Member({ name, value, isIndex }: MemberProps) {
  if (!isLeaf(value)) return <Branch name={name} value={value} isOpenFirst={false} />;
  return (
    <>
      <MemberName name={name} isIndex={isIndex} />{' '}
      {typeof value === 'string' ? <LongText text={value} isQuoted /> : <LongText text={printJson(value)} isJson />}
    </>
  );
}

function MemberName({ name, isIndex }: Pick<MemberProps, 'name' | 'isIndex'>) {
  return (
    <span class={`mono member ${isIndex ? 'faint' : ''}`} dir="ltr" title={visibleLine(name)}>
      {visibleLine(cut(name, LONGEST_NAME))}:
    </span>
  );
}

interface LongTextProps {
  readonly text: string;
  readonly isJson?: boolean;
  /** Inside of a tree, a text is told from a number by its quotes. */
  readonly isQuoted?: boolean;
}

/** A text of which the beginning is visible, and the rest on request. */
function LongText({ text, isJson = false, isQuoted = false }: LongTextProps) {
  const [isOpen, setOpen] = useState(false);
  const element = useRef<HTMLSpanElement>(null);
  const [isCut, setCut] = useState(false);
  useLayoutEffect(() => {
    const { current } = element;
    if (current !== null && !isOpen) setCut(current.scrollHeight > current.clientHeight + 1);
  }, [text, isOpen]);
  const shown = escapeControls(cut(text, isOpen ? LONGEST : SHORT));
  return (
    <>
      <span ref={element} class={`value mono ${isOpen ? 'open' : ''} ${isJson ? 'json' : ''}`} dir="ltr">
        {isQuoted ? `"${shown}"` : shown}
      </span>
      {isOpen && text.length > LONGEST && (
        <p class="faint small">
          The first {size(LONGEST)} of {size(text.length)}
        </p>
      )}
      {(text.length > SHORT || isCut || isOpen) && (
        <button type="button" class="quiet more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Show less' : `Show all (${size(text.length)})`}
        </button>
      )}
    </>
  );
}
