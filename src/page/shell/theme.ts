/** Light or dark: as the system has it, or as a person chose on this computer. */
import { computed, effect, signal } from '@preact/signals';

export type ThemeChoice = 'system' | 'light' | 'dark';

const KEY = 'statedsl-theme';
const CHOICES: readonly ThemeChoice[] = ['system', 'light', 'dark'];

const system = typeof matchMedia === 'undefined' ? null : matchMedia('(prefers-color-scheme: dark)');
const isSystemDark = signal(system?.matches === true);
system?.addEventListener('change', ({ matches }) => {
  isSystemDark.value = matches;
});

export const themeChoice = signal<ThemeChoice>(CHOICES.find((one) => one === storedTheme()) ?? 'system');

/** What is shown. */
export const theme = computed<'light' | 'dark'>(() =>
  themeChoice.value === 'system' ? (isSystemDark.value ? 'dark' : 'light') : themeChoice.value,
);

// Before everything else that looks at the theme: colors are read from the page.
effect(apply);

export function nextTheme(): void {
  const next = CHOICES[(CHOICES.indexOf(themeChoice.value) + 1) % CHOICES.length] ?? 'system';
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // A page from a file may keep nothing; the choice lasts until it is closed.
  }
  themeChoice.value = next;
}

function storedTheme(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function apply(): void {
  const chosen = themeChoice.value;
  if (typeof document === 'undefined') return;
  const { dataset } = document.documentElement;
  if (chosen === 'system') delete dataset.theme;
  else dataset.theme = chosen;
}
