// No question may ask for everything: spans and pages have limits, and what is beyond them is refused with a hint.
import type { Page, Span } from '../engines/snapshot.ts';
import { HistoryError } from '../errors.ts';

const DAY_MS = 86_400_000;
export const LONGEST_SPAN_MS = 400 * DAY_MS;
export const LARGEST_PAGE = 10_000;
const DEFAULT_PAGE = 500;

/** What a caller may leave out of a page. */
export interface PageRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export function checkedSpan(span: Span): Span {
  if (span.to <= span.from) {
    throw new HistoryError('bad-span', 'the span ends before it begins', { hint: 'swap its ends.' });
  }
  if (span.to - span.from > LONGEST_SPAN_MS) {
    throw new HistoryError('span-too-long', `a question may span ${LONGEST_SPAN_MS / DAY_MS} days at most`, {
      hint: 'ask for one part after the other.',
    });
  }
  return span;
}

export function checkedPage({ limit = DEFAULT_PAGE, cursor }: PageRequest): Page {
  if (!Number.isInteger(limit) || limit < 1 || limit > LARGEST_PAGE) {
    throw new HistoryError('bad-page', `a page of ${limit} records cannot be given`, {
      hint: `ask for 1 to ${LARGEST_PAGE} and go on with the cursor.`,
    });
  }
  return { limit, cursor };
}
