// What was asked: the cluster, the subject, the times. Part of every document.
import { z } from 'zod';

/** RFC 3339 in UTC, with milliseconds. */
export const instant = z.iso.datetime({ precision: 3 });

export const query = z.strictObject({ cluster: z.string(), clusterId: z.string() });

export const subject = {
  by: z.enum(['ip', 'service', 'uid', 'name', 'workload']),
  ip: z.string().exactOptional(),
  uid: z.string().exactOptional(),
  namespace: z.string().exactOptional(),
  kind: z.string().exactOptional(),
  name: z.string().exactOptional(),
};

export const order = z.enum(['oldest', 'newest']);

export const askedSpan = { since: instant.nullable(), until: instant.nullable() };
