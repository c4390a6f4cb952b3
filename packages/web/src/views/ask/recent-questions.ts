// The last questions of this reader, kept in the browser.

import type { Parameters } from '../../address/page-address.ts';
import { signal } from '../../state/signal.ts';
import { storedText, storeText } from '../../times/stored-text.ts';

const KEY = 'podtrail-recent';
const MOST = 8;

export const recent = signal<readonly Parameters[]>(read());

export function remember(asked: Parameters): void {
  const { ip, at, q } = asked;
  const question: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ip, at, q })) if (value !== undefined) question[name] = value;
  if (Object.keys(question).length === 0) return;
  const text = JSON.stringify(question);
  const others = recent.peek().filter((other) => JSON.stringify(other) !== text);
  recent.value = [question, ...others].slice(0, MOST);
  storeText(KEY, JSON.stringify(recent.value));
}

export function forgetAll(): void {
  recent.value = [];
  storeText(KEY, undefined);
}

/** Whatever else has written there: what is no question is left out. */
function read(): readonly Parameters[] {
  try {
    const stored: unknown = JSON.parse(storedText(KEY) ?? '[]');
    if (!Array.isArray(stored)) return [];
    return stored.filter(isQuestion).slice(0, MOST);
  } catch {
    return [];
  }
}

function isQuestion(value: unknown): value is Parameters {
  return typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string');
}
