// All that held one address within a span, oldest first, with what was not watched of it.
import type { Paged, Snapshot, Span } from '../engines/snapshot.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { Tenure } from '../model/records.ts';
import { checkedPage, checkedSpan, type PageRequest } from './limits.ts';
import { type SpanCoverage, spanCoverage } from './span-coverage.ts';

export interface TenuresQuestion {
  readonly ip: IpAddress;
  readonly span: Span;
  readonly page?: PageRequest;
}

export interface TenuresAnswer extends Paged<Tenure> {
  readonly coverage: SpanCoverage;
}

export async function tenuresOfIp(snapshot: Snapshot, question: TenuresQuestion): Promise<TenuresAnswer> {
  const { ip, page = {} } = question;
  const span = checkedSpan(question.span);
  const found = await snapshot.tenuresOfIp(ip, span, checkedPage(page));
  return { ...found, coverage: await spanCoverage(snapshot, span) };
}
