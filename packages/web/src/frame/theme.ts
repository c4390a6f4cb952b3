// Light, dark, or as the system has it. The choice is kept in the browser.
import { signal } from '../state/signal.ts';
import { storedText, storeText } from '../times/stored-text.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'podtrail-theme';

export const theme = signal<Theme>(THEMES.find((known) => known === storedText(KEY)) ?? 'system');

export function chooseTheme(name: string): void {
  theme.value = THEMES.find((known) => known === name) ?? 'system';
  storeText(KEY, theme.value);
}

/** Whether dark is shown now: canvases draw their own colours. */
export const isDark = signal(false);

export function applyTheme(): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    isDark.value = theme.value === 'system' ? system.matches : theme.value === 'dark';
    document.documentElement.dataset['theme'] = isDark.value ? 'dark' : 'light';
  };
  system.addEventListener('change', apply);
  theme.subscribe(apply);
}
