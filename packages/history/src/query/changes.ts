// Which annotations of a pod or of a workload's pods changed within a span.
import type { Paged, Snapshot, Span, Subject } from '../engines/snapshot.ts';
import type { Change } from '../model/records.ts';
import { checkedPage, checkedSpan, type PageRequest } from './limits.ts';
import { cut, type SpanCoverage, spanCoverage } from './span-coverage.ts';

export interface ChangesQuestion {
  readonly subject: Subject;
  readonly span: Span;
  readonly page?: PageRequest;
}

export interface ChangesAnswer extends Paged<Change> {
  readonly coverage: SpanCoverage;
}

export async function changes(snapshot: Snapshot, question: ChangesQuestion): Promise<ChangesAnswer> {
  const { subject, page = {} } = question;
  const span = checkedSpan(question.span);
  const found = await snapshot.occurrences({ kind: 'change', subject, span, page: checkedPage(page) });
  const [coverage, removed] = await Promise.all([spanCoverage(snapshot, span), snapshot.expired('change')]);
  // Changes may expire before all else: where they have, their absence says nothing.
  return { ...found, coverage: { ...coverage, expired: [...coverage.expired, ...cut(removed, span)] } };
}
