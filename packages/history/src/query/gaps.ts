// When nobody was watching, and what has been removed since.
import type { Snapshot, Span } from '../engines/snapshot.ts';
import { checkedSpan } from './limits.ts';
import { type SpanCoverage, spanCoverage } from './span-coverage.ts';

export interface GapsQuestion {
  readonly span: Span;
}

export function gaps(snapshot: Snapshot, { span }: GapsQuestion): Promise<SpanCoverage> {
  return spanCoverage(snapshot, checkedSpan(span));
}
