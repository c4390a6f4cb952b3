// Rows of a flow log, each with one or two addresses: who had them, in few words, so that a whole log fits into one
// answer.
import type { DocumentOf } from '@podtrail/history/wire/catalogue';
import { QUESTIONS } from '@podtrail/history/wire/catalogue';
import { z } from 'zod';
import type { Ask, ToolInput } from './tool.ts';

const MOST_FLOWS = 200;
const MOST_GAPS = 20;
const { ip, at, cluster } = QUESTIONS.who.parameters.shape;

export const flowsInput = z.strictObject({
  flows: z
    .array(
      z.strictObject({
        at: at.unwrap(),
        source: ip.optional().meta({ description: 'Address of one end.' }),
        destination: ip.optional().meta({ description: 'Address of the other end.' }),
      }),
    )
    .min(1)
    .max(MOST_FLOWS)
    .meta({ description: `Rows, at most ${MOST_FLOWS}.` }),
  cluster,
});

export async function attributeFlows(ask: Ask, input: ToolInput): Promise<object> {
  const { flows, cluster: wanted } = input as z.input<typeof flowsInput>;
  const of = wanted === undefined ? {} : { cluster: wanted };
  const rows: Record<string, FlowEnd>[] = [];
  for (const { at: time, ...ends } of flows) {
    const row: Record<string, FlowEnd> = {};
    for (const [end, address] of Object.entries(ends)) {
      // A flow was seen: somebody had the address.
      row[end] = endOf((await ask('who', { ip: address, at: time, seen: true, ...of })) as DocumentOf<'who'>);
    }
    rows.push(row);
  }
  const provisional = rows.some((row) => Object.values(row).some((end) => end.provisional));
  const { coverage } = (await ask('gaps', { limit: MOST_GAPS, ...of })) as DocumentOf<'gaps'>;
  return { provisional, flows: rows, coverage };
}

type FlowEnd = ReturnType<typeof endOf>;

/** The answer about one address, without its times and evidence. */
function endOf(document: DocumentOf<'who'>) {
  const { query, answer, holders, provisional } = document;
  return {
    ...{ ip: query.ip, at: query.at, answer, provisional },
    ...('reason' in document && document.reason !== undefined ? { reason: document.reason } : {}),
    holders: holders.map(({ kind, namespace, name, node, workload }) => ({ kind, namespace, name, node, workload })),
  };
}
