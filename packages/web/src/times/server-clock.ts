// Now, by the clock of the server: that of a browser may be an hour off, and ages are those of the server's records. Every
// answer says when it was sent, to the second (its Date header).
import { signal } from '../state/signal.ts';

/** By how much the server is ahead of this browser, in milliseconds. 0 until an answer says otherwise. */
export const ahead = signal(0);
/** Less is left as it is: clocks always differ a little, and a Date header has whole seconds. */
const TOLERATED_MS = 2_000;

export function serverNow(): number {
  return Date.now() + ahead.peek();
}

/** `sent` and `came`: when the question was asked and answered, by the browser's clock. */
export function learnTime(date: string | null, sent: number, came: number): void {
  const at = Date.parse(date ?? '');
  const [least, most] = [at - came, at + 1_000 - sent];
  if (ahead.peek() < least - TOLERATED_MS || ahead.peek() > most + TOLERATED_MS) ahead.value = (least + most) / 2;
}
