// A part of the store that is damaged makes an answer unknown, and only those answers that would have needed it.
import { HistoryError } from '../errors.ts';

const CODES = ['damaged', 'store-damaged', 'week-missing'];

function isDamaged(error: unknown): boolean {
  return error instanceof HistoryError && CODES.includes(error.code);
}

/** What `ask` gives; undefined where that needs a damaged part. */
export async function unlessDamaged<T>(ask: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (isDamaged(error)) return undefined;
    throw error;
  }
}

/** The same for many questions at once: those that need no damaged part are answered, whatever is asked beside them. */
export async function eachUnlessDamaged<Q, A>(
  questions: readonly Q[],
  ask: (questions: readonly Q[]) => Promise<readonly A[]>,
): Promise<(A | Damaged)[]> {
  const answers = await unlessDamaged(() => ask(questions));
  if (answers !== undefined) return [...answers];
  if (questions.length === 1) return [DAMAGED];
  const middle = Math.ceil(questions.length / 2);
  const first = await eachUnlessDamaged(questions.slice(0, middle), ask);
  return [...first, ...(await eachUnlessDamaged(questions.slice(middle), ask))];
}

export const DAMAGED = Symbol('damaged');
export type Damaged = typeof DAMAGED;
