// When nobody was watching, and what has been removed since.
import type { Engine, Span } from '../engines/engine.ts';
import { checkedSpan } from './limits.ts';
import { type SpanCoverage, spanCoverage } from './span-coverage.ts';

export interface GapsQuestion {
  readonly cluster: string;
  readonly span: Span;
}

export function gaps(engine: Engine, { cluster, span }: GapsQuestion): Promise<SpanCoverage> {
  return spanCoverage(engine, cluster, checkedSpan(span));
}
