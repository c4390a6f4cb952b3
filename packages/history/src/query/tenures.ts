// All that held one address within a span, oldest first, with what was not watched of it.
import type { Engine, Paged, Span } from '../engines/engine.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { Tenure } from '../model/records.ts';
import { checkedPage, checkedSpan, type PageWish } from './limits.ts';
import { type SpanCoverage, spanCoverage } from './span-coverage.ts';

export interface TenuresQuestion {
  readonly cluster: string;
  readonly ip: IpAddress;
  readonly span: Span;
  readonly page?: PageWish;
}

export interface TenuresAnswer extends Paged<Tenure> {
  readonly coverage: SpanCoverage;
}

export async function tenuresOfIp(engine: Engine, question: TenuresQuestion): Promise<TenuresAnswer> {
  const { cluster, ip, page = {} } = question;
  const span = checkedSpan(question.span);
  const found = await engine.tenuresOfIp(cluster, ip, span, checkedPage(page));
  return { ...found, coverage: await spanCoverage(engine, cluster, span) };
}
