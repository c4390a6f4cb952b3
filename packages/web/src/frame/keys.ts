// Keys of the whole page. A view adds its own while it is shown; none works while somebody types.
import { useEffect } from 'preact/hooks';

export interface Key {
  /** As KeyboardEvent.key has it. */
  readonly key: string;
  readonly does: string;
  readonly run: () => void;
}

const active = new Set<readonly Key[]>();

/** While the component is shown. The newest wins where two want the same key. */
export function useKeys(keys: readonly Key[]): void {
  useEffect(() => {
    active.add(keys);
    return () => {
      active.delete(keys);
    };
  }, [keys]);
}

/** For the help: what each key does now. */
export function activeKeys(): readonly Key[] {
  const byKey = new Map<string, Key>();
  for (const keys of active) for (const key of keys) byKey.set(key.key, key);
  return [...byKey.values()];
}

export function listenForKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isTaken(event)) return;
    // All keys are those of a dialog: Escape closes it, and nothing behind it.
    if (document.querySelector('dialog[open]') !== null) return;
    const found = activeKeys().find(({ key }) => key === event.key);
    if (found === undefined) return;
    event.preventDefault();
    found.run();
  });
}

/** The key means something where the focus is: letters in a field, the space bar on a button, arrows on a slider. */
function isTaken({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && target.type === 'range') return /^(?:Arrow|Page|Home|End)/.test(key);
  if (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return true;
  return (key === ' ' || key === 'Enter') && /^(?:BUTTON|SUMMARY|A)$/.test(target.tagName);
}
