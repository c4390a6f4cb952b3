// What every listing has: its pages, when the cluster was watched, and whether something was left out or asked elsewhere.
import { z } from 'zod';
import { instant } from './query.ts';

/** There where the asker may see some namespaces only. What is in others is neither in the document nor counted. */
export const narrowed = { narrowed: z.literal(true).exactOptional() };

/** There where other replicas were asked, because this one was not watching all of the time. Without those, it is said. */
export const peers = {
  peers: z
    .array(z.strictObject({ collector: z.string(), answered: z.boolean(), why: z.string().exactOptional() }))
    .readonly()
    .exactOptional(),
};

export const paging = { ...narrowed, ...peers, more: z.boolean(), cursor: z.string().nullable() };

export const gapSchema = z.strictObject({
  from: instant,
  /** Null: it goes on. */
  to: instant.nullable(),
  reason: z.enum([
    ...(['start', 'expired', 'rewound', 'clock', 'undecodable'] as const),
    ...(['before-first-record', 'not-watching', 'removed', 'in-the-future', 'pods-only'] as const),
  ]),
});

/** When the cluster was watched, and the gaps that touch the time asked about. */
export const watchingSchema = z.strictObject({
  from: instant.nullable(),
  to: instant.nullable(),
  gaps: z.array(gapSchema).readonly(),
});

export type GapDocument = z.infer<typeof gapSchema>;
export type WatchingDocument = z.infer<typeof watchingSchema>;
