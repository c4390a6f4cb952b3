// GET /api/v1/trackers: the PodTrackers of the cluster, what each selects and how it is doing. Only where an operator
// follows them. Whoever sees some namespaces only sees the trackers that are of those alone: the counts of another would
// tell of pods that are hidden.
import type { Visibility } from '@podtrail/history/wire';
import { z } from 'zod';
import type { PodTracker } from '../../crds/podtracker.ts';
import { jsonReply } from '../http/reply.ts';
import { Problem } from '../problem.ts';
import { API, type Operation } from './operation.ts';
import { QueryParameters } from './query-parameters.ts';

const DEFAULT_LIMIT = 100;
const MOST = 1_000;

const parameters = z.strictObject({
  limit: z
    .int()
    .min(1)
    .max(MOST)
    .default(DEFAULT_LIMIT)
    .meta({ description: `Trackers on a page; ${MOST} at most.` }),
  cursor: z.string().min(1).max(512).optional().meta({ description: 'The cursor of the page before.' }),
});

const count = z.int().nonnegative();
const conditionSchema = z.strictObject({
  type: z.string(),
  status: z.string(),
  reason: z.string(),
  message: z.string().exactOptional().meta({ description: 'For who sees all namespaces: it may name others.' }),
  lastTransitionTime: z.string(),
});
const trackerSchema = z
  .strictObject({
    name: z.string(),
    namespaces: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Whose pods it tracks; null: of all, or by labels.' }),
    selects: z.strictObject({
      byNamespaceLabels: z.boolean(),
      byPodLabels: z.boolean(),
      namePrefix: z.string().exactOptional(),
      nodeNames: z.array(z.string()).exactOptional(),
    }),
    counts: z.strictObject({ pods: count, nodes: count, slices: count }).nullable().meta({
      description: 'How much it tracks now; null: the operator has not looked at it yet.',
    }),
    conditions: z.array(conditionSchema),
    isCurrent: z.boolean().meta({ description: 'Whether counts and conditions are of the spec as it is now.' }),
  })
  .meta({ id: 'Tracker' });
const trackersSchema = z.strictObject({
  trackers: z.array(trackerSchema),
  more: z.boolean(),
  cursor: z.string().nullable(),
  narrowed: z.literal(true).exactOptional().meta({ description: 'Only trackers of the namespaces of the caller.' }),
});

/** Undefined while they are not known. */
export type TrackerSource = () => readonly PodTracker[] | undefined;

export function trackersRoute(trackers: TrackerSource): Operation {
  const readable = new QueryParameters(parameters);
  return {
    ...{ method: 'GET', path: `${API}/trackers`, id: 'trackers', query: parameters, example: { limit: 10 } },
    summary: 'The PodTrackers of the cluster: what each selects, how many pods it tracks, and how it is doing.',
    reply: { 'application/json': trackersSchema },
    handle: async (request) => {
      const { limit, cursor } = readable.checked('trackers', request.query);
      const after = cursor === undefined ? '' : nameIn(cursor);
      const visibility = await request.visibility();
      const all = trackers();
      if (all === undefined) {
        throw new Problem(503, 'trackers-unknown', 'the operator does not know the PodTrackers yet', {
          hint: 'ask again; if it lasts, install deploy/crds, and see the log of the operator.',
          headers: { 'retry-after': '5' },
        });
      }
      const left = all
        .filter((tracker) => nameOf(tracker) > after && isVisible(tracker, visibility))
        .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
      const page = left.slice(0, limit);
      const last = left.length > limit ? page.at(-1) : undefined;
      return jsonReply({
        trackers: page.map((tracker) => documentOf(tracker, visibility)),
        more: last !== undefined,
        cursor: last === undefined ? null : Buffer.from(nameOf(last)).toString('base64url'),
        ...(visibility.kind === 'all' ? {} : { narrowed: true }),
      });
    },
  };
}

function isVisible({ spec }: PodTracker, visibility: Visibility): boolean {
  if (visibility.kind === 'all') return true;
  return spec.namespaces?.every((name) => visibility.since.has(name)) === true;
}

function documentOf({ metadata, spec, status }: PodTracker, { kind }: Visibility): z.output<typeof trackerSchema> {
  const { namespaces = null, namespaceSelector, podSelector, namePrefix, nodeNames } = spec;
  return {
    name: metadata.name ?? '',
    namespaces: namespaces === null ? null : [...namespaces],
    selects: {
      ...{ byNamespaceLabels: namespaceSelector !== undefined, byPodLabels: podSelector !== undefined },
      ...(namePrefix === undefined ? {} : { namePrefix }),
      ...(nodeNames === undefined ? {} : { nodeNames: [...nodeNames] }),
    },
    counts: status?.counts ?? null,
    conditions: (status?.conditions ?? []).map(({ type, status: holds, reason, message, lastTransitionTime }) => ({
      ...{ type, status: holds, reason, lastTransitionTime },
      ...(kind === 'all' ? { message } : {}),
    })),
    isCurrent: status?.observedGeneration !== undefined && status.observedGeneration === metadata.generation,
  };
}

function nameOf({ metadata }: PodTracker): string {
  return metadata.name ?? '';
}

function nameIn(cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString('utf8');
  if (/^[-a-z0-9.]{1,253}$/.test(name)) return name;
  throw new Problem(400, 'bad-cursor', 'the cursor is not one of trackers', {
    hint: 'use the cursor of the page before, or none.',
  });
}
