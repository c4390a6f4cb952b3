// `POST ipattributions`: who held an address at an instant, as a review is asked. Nothing is kept of it.
import type { Cluster, EpochMillis, LedgerReader, Visibility } from '@podtrail/history/wire';
import { askQuestion } from '@podtrail/history/wire/catalogue';
import { Problem } from '../problem.ts';
import { ATTRIBUTIONS } from './discovery.ts';
import { GROUP_VERSION } from './history-object.ts';
import { holderFields } from './shapes.ts';

export interface AttributionAsker {
  readonly reader: Pick<LedgerReader, 'clusters' | 'snapshot'>;
  readonly cluster: Cluster;
  readonly visibility: Visibility;
  readonly now: EpochMillis;
}

export async function attribute(
  { reader, cluster, visibility, now }: AttributionAsker,
  posted: unknown,
): Promise<object> {
  const { apiVersion, kind, spec, metadata } = objectOf(posted, 'the body');
  if (
    (apiVersion !== undefined && apiVersion !== GROUP_VERSION) ||
    (kind !== undefined && kind !== ATTRIBUTIONS.kind)
  ) {
    throw new Problem(400, 'bad-body', `what is posted here is a ${ATTRIBUTIONS.kind} of ${GROUP_VERSION}`);
  }
  const given = objectOf(spec, 'spec');
  const document = await askQuestion(reader, { visibility, now }, 'who', { ...given, cluster: cluster.id });
  const { query, answer, provisional, holders, coverage, evidence, ...rest } = document;
  return {
    ...{ apiVersion: GROUP_VERSION, kind: ATTRIBUTIONS.kind, metadata: plainMetadata(metadata), spec: given },
    status: {
      ...{ answer, ...rest, provisional, at: query.at },
      holders: holders.map((holder) => {
        const { start, end, why } = holder;
        return {
          ...holderFields(holder),
          start,
          ...(end === null ? {} : { end }),
          ...(why === undefined ? {} : { why }),
        };
      }),
      ...{ coverage, evidence },
    },
  };
}

/** Its name, if the caller gave one. */
function plainMetadata(metadata: unknown): object {
  const { name } = (metadata ?? {}) as { readonly name?: unknown };
  return { ...(typeof name === 'string' ? { name } : {}), creationTimestamp: null };
}

function objectOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Problem(400, 'bad-body', `${what} is no object`, { hint: 'post {"spec":{"ip":"10.1.2.3","at":"…"}}.' });
}
