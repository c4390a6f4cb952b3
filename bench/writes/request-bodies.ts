// What an API server has been sent, from its own metrics: requests with a body and their bytes, by resource.
import type { Client } from '@podtrail/machinery';
import { BenchError } from '../benchmark.ts';

export interface Sent {
  readonly requests: number;
  readonly bytes: number;
}

export async function sentTo(client: Client, resources: readonly string[]): Promise<Sent> {
  const { status, body } = await client.raw({ method: 'GET', path: '/metrics' });
  if (status !== 200) throw new BenchError(`the API server's /metrics answered ${status}`);
  return sumSent(body.toString('utf8'), resources);
}

/** Of a page in the Prometheus text format. */
export function sumSent(page: string, resources: readonly string[]): Sent {
  const sums = { count: 0, sum: 0 };
  for (const line of page.split('\n')) {
    const [, which, labels = '', value] =
      /^apiserver_request_body_size_bytes_(count|sum)\{(.*)\} (\S+)$/.exec(line) ?? [];
    if (which === undefined) continue;
    const resource = /(?:^|,)resource="([^"]*)"/.exec(labels)?.[1] ?? '';
    if (resources.includes(resource)) sums[which as 'count' | 'sum'] += Number(value);
  }
  return { requests: sums.count, bytes: sums.sum };
}

export function since(before: Sent, now: Sent): Sent {
  return { requests: now.requests - before.requests, bytes: now.bytes - before.bytes };
}
