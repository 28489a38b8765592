/**
 * The colors of pictures in both themes, and the fonts. Plain classes, so that a program that knows no variables and no
 * media queries still draws the light theme.
 */
import type { PictureKind, ReachedPart } from './picture.js';

const SANS =
  'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans","Liberation Sans",Arial,"DejaVu Sans",sans-serif';
const MONO = 'ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace';

/** What a node is filled with, its border, and its mark. */
type Colors = readonly [fill: string, border: string, mark: string];

interface Theme {
  readonly background: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly kinds: Readonly<Record<PictureKind, Colors>>;
  readonly reach: Readonly<Record<ReachedPart, readonly [fill: string, border: string]>>;
}

const LIGHT: Theme = {
  background: '#ffffff',
  text: '#1c2430',
  muted: '#465162',
  line: '#7a8699',
  kinds: {
    agent: ['#eef2ff', '#8c9eea', '#4254c5'],
    call: ['#e8f6fb', '#6fb7d0', '#0b6e8f'],
    end: ['#e7f6ec', '#6cba86', '#1d7a41'],
    failure: ['#fdecec', '#e08a8a', '#b42525'],
    input: ['#f3f4f6', '#a3adba', '#566173'],
    loop: ['#f6f0fe', '#b79be6', '#7440c0'],
    machine: ['#fbfcfd', '#cfd6df', '#566173'],
    parallel: ['#e6f7f4', '#67bdae', '#0c7565'],
    question: ['#fff5de', '#dcb04e', '#8a5d00'],
    start: ['#1c2430', '#1c2430', '#1c2430'],
    state: ['#f4f6f9', '#9aa6b7', '#566173'],
    step: ['#edf4fd', '#8bb1e2', '#2660a8'],
    wait: ['#fff5de', '#dcb04e', '#8a5d00'],
  },
  reach: {
    reached: ['#dff3e5', '#2f8f55'],
    partly: ['#fff1cc', '#b98300'],
    missed: ['#fde3e3', '#c03a3a'],
    unreachable: ['#eef0f3', '#9aa4b2'],
  },
};

const DARK: Theme = {
  background: '#12161c',
  text: '#e8ecf2',
  muted: '#b3bdca',
  line: '#8492a6',
  kinds: {
    agent: ['#222a4d', '#5b6fd0', '#a5b2ff'],
    call: ['#12313d', '#2f88a6', '#74cdea'],
    end: ['#15321f', '#3b9459', '#7fdba0'],
    failure: ['#3e1d1f', '#b85252', '#ff9a98'],
    input: ['#232932', '#6b7686', '#b3bdca'],
    loop: ['#2c2142', '#8660c4', '#cbaefb'],
    machine: ['#161b22', '#3a4452', '#b3bdca'],
    parallel: ['#10332e', '#2f9282', '#6fd9c6'],
    question: ['#3a2d0e', '#b38a2e', '#f3cb6c'],
    start: ['#e8ecf2', '#e8ecf2', '#e8ecf2'],
    state: ['#1e242d', '#657287', '#b3bdca'],
    step: ['#182b44', '#4a7fc0', '#95c3ff'],
    wait: ['#3a2d0e', '#b38a2e', '#f3cb6c'],
  },
  reach: {
    reached: ['#15321f', '#4fb374'],
    partly: ['#3a2d0e', '#d9a53a'],
    missed: ['#3e1d1f', '#e06a6a'],
    unreachable: ['#232932', '#6b7686'],
  },
};

const SCOPE = '.statedsl-graph';

export function svgStyle(): string {
  const fixed = [
    `${SCOPE} text{font-family:${SANS}}`,
    `${SCOPE} .bold{font-weight:600}`,
    `${SCOPE} .mono{font-family:${MONO}}`,
    `${SCOPE} .box,${SCOPE} .way,${SCOPE} .mark{stroke-width:1.25}`,
    `${SCOPE} .way,${SCOPE} .mark{fill:none;stroke-linecap:round;stroke-linejoin:round}`,
    `${SCOPE} .mark{stroke-width:1.6}`,
    `${SCOPE} .failure-way{stroke-dasharray:5 4}`,
    `${SCOPE} .undo-way{stroke-dasharray:1 4}`,
  ];
  return [...fixed, ...themeRules(LIGHT), '@media (prefers-color-scheme:dark){', ...themeRules(DARK), '}'].join('\n');
}

function themeRules({ background, text, muted, line, kinds, reach }: Theme): string[] {
  const rules = [
    `${SCOPE} .background,${SCOPE} .label-box{fill:${background}}`,
    `${SCOPE} .title{fill:${text}}`,
    `${SCOPE} .row,${SCOPE} .label{fill:${muted}}`,
    `${SCOPE} .way{stroke:${line}}`,
    `${SCOPE} .head{fill:${line}}`,
  ];
  for (const [kind, [fill, border, mark]] of Object.entries(kinds))
    rules.push(`${SCOPE} .${kind}{fill:${fill};stroke:${border}}`, `${SCOPE} .${kind}-mark{stroke:${mark}}`);
  for (const [way, kind] of [
    ['failure', 'failure'],
    ['again', 'loop'],
    ['undo', 'question'],
  ] as const) {
    const [, , mark] = kinds[kind];
    rules.push(`${SCOPE} .${way}-way{stroke:${mark}}`, `${SCOPE} .${way}-head{fill:${mark}}`);
  }
  // After the rules of kinds, which they replace.
  for (const [name, [fill, border]] of Object.entries(reach))
    rules.push(
      `${SCOPE} .${name}{fill:${fill};stroke:${border}}`,
      `${SCOPE} .${name}-way{stroke:${border}}`,
      `${SCOPE} .${name}-head{fill:${border}}`,
    );
  return rules;
}
