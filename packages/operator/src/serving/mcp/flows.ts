// Rows of a flow log, each with one or two addresses: who had them, in few words, so that a whole log fits into one
// answer. Where it does not, the answer says with which row to go on.
import { LONGEST_SPAN_MS } from '@podtrail/history/wire';
import type { DocumentOf } from '@podtrail/history/wire/catalogue';
import { instantOf, QUESTIONS } from '@podtrail/history/wire/catalogue';
import { z } from 'zod';
import type { Ask, ToolInput } from './tool.ts';

const MOST_FLOWS = 200;
/** With the row that goes beyond it and the coverage, an answer still fits. */
const MOST_ROWS_BYTES = 80_000;
/** Of one address, if it is ambiguous. */
const MOST_HOLDERS = 10;
/** All of them: what is too much is cut where answers are. */
const MOST_GAPS = 10_000;
const { ip, at, cluster } = QUESTIONS.who.parameters.shape;

const row = z
  .strictObject(
    {
      at: at.unwrap().meta({
        description:
          'When the flow was seen: RFC 3339 with a zone (2026-11-15T10:05:00Z), or epoch seconds or milliseconds as text. Of a row with a start and an end, the start.',
      }),
      source: ip.optional().meta({ description: 'Bare IPv4 or IPv6 address of one end.' }),
      destination: ip.optional().meta({ description: 'Bare IPv4 or IPv6 address of the other end.' }),
    },
    {
      error: (issue) =>
        issue.code === 'unrecognized_keys'
          ? `a row has no ${issue['keys'].join(', ')}; it has at, source, destination`
          : undefined,
    },
  )
  .refine(({ source, destination }) => source !== undefined || destination !== undefined, {
    error: 'a row has source, destination or both; leave out a row without an address',
  });

export const flowsInput = z.strictObject({
  flows: z
    .array(row)
    .min(1)
    .max(MOST_FLOWS)
    .meta({ description: `Rows, at most ${MOST_FLOWS}. Leave out columns that are not listed here.` }),
  cluster,
});

type Flow = z.input<typeof row>;

export async function attributeFlows(ask: Ask, input: ToolInput): Promise<object> {
  const { flows, cluster: wanted } = input as z.input<typeof flowsInput>;
  const of = wanted === undefined ? {} : { cluster: wanted };
  const rows: Readonly<Record<string, FlowEnd>>[] = [];
  let bytes = 0;
  for (const flow of flows) {
    if (bytes > MOST_ROWS_BYTES) break;
    const attributed = await attributedRow(ask, flow, rows.length, of);
    bytes += Buffer.byteLength(JSON.stringify(attributed));
    rows.push(attributed);
  }
  const next = rows.length;
  const provisional = rows.some((ends) => Object.values(ends).some((end) => end.provisional));
  const { coverage } = (await ask('gaps', { ...spanOf(flows), limit: MOST_GAPS, ...of })) as DocumentOf<'gaps'>;
  const isMore = next < flows.length;
  const note = `only ${next} of ${flows.length} rows fit: call again with the flows from number ${next} on (the first is 0).`;
  return { provisional, flows: rows, more: isMore, ...(isMore ? { next, note } : {}), coverage };
}

async function attributedRow(ask: Ask, { at: time, ...ends }: Flow, number: number, of: ToolInput) {
  const attributed: Record<string, FlowEnd> = {};
  for (const [end, address] of Object.entries(ends)) {
    try {
      // A flow was seen: somebody had the address.
      const document = await ask('who', { ip: address, at: time, seen: true, ...of });
      attributed[end] = endOf(document as DocumentOf<'who'>);
    } catch (error) {
      if ((error as { readonly code?: string }).code === 'bad-address') {
        (error as Error).message = `flows.${number}.${end}: ${(error as Error).message}`;
      }
      throw error;
    }
  }
  return attributed;
}

/** From the first to the last row, as far as one question reaches. */
function spanOf(flows: readonly Flow[]): ToolInput {
  const times = flows.map(({ at: time }) => instantOf(time) ?? 0);
  const since = Math.min(...times);
  const until = Math.max(...times) + 1;
  const text = (time: number) => new Date(time).toISOString();
  return { until: text(until), ...(until - since > LONGEST_SPAN_MS ? {} : { since: text(since) }) };
}

type FlowEnd = ReturnType<typeof endOf>;

/** The answer about one address, without its times and evidence. */
function endOf(document: DocumentOf<'who'>) {
  const { query, answer, holders, provisional } = document;
  const named = holders.slice(0, MOST_HOLDERS);
  return {
    ...{ ip: query.ip, at: query.at, answer, provisional },
    ...('reason' in document && document.reason !== undefined ? { reason: document.reason } : {}),
    holders: named.map(({ kind, namespace, name, node, workload }) => ({ kind, namespace, name, node, workload })),
    ...(named.length < holders.length ? { holdersLeftOut: holders.length - named.length } : {}),
  };
}
