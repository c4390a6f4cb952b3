// The JSON of actions as a schema: what readers may rely on. Code that only writes it imports the types and does not load zod.
import { z } from 'zod';

const instant = z.iso.datetime({ precision: 3 });
const texts = z.array(z.string()).readonly();

const refuserSchema = z.strictObject({
  kind: z.enum(['webhook', 'policy', 'plugin', 'quota', 'disruption-budget']),
  name: z.string(),
  /** Of a policy. */
  binding: z.string().exactOptional(),
});

const outcomeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('allowed'), code: z.int() }),
  z.strictObject({ kind: z.literal('dry-run'), code: z.int() }),
  z.strictObject({
    kind: z.literal('refused'),
    code: z.int(),
    stage: z.enum([
      ...(['authentication', 'throttling', 'authorization', 'request', 'not-found', 'admission'] as const),
      ...(['validation', 'conflict', 'gone', 'disruption-budget', 'forbidden', 'other'] as const),
    ]),
    by: refuserSchema.nullable(),
    message: z.string(),
    hint: z.string(),
  }),
  z.strictObject({ kind: z.literal('failed'), code: z.int().nullable(), message: z.string(), hint: z.string() }),
  z.strictObject({ kind: z.literal('unfinished'), hint: z.string() }),
]);

export const actionSchema = z.strictObject({
  at: instant,
  answeredAt: instant.nullable(),
  auditID: z.string(),
  level: z.enum(['Metadata', 'Request', 'RequestResponse']).nullable(),
  verb: z.string(),
  what: z.enum([
    ...(['create', 'update', 'patch', 'delete', 'delete-collection'] as const),
    ...(['evict', 'bind', 'scale', 'restart', 'cordon', 'uncordon', 'taint'] as const),
    ...(['exec', 'attach', 'port-forward', 'proxy', 'debug', 'resize', 'write-status'] as const),
    ...(['get', 'list', 'watch', 'other'] as const),
  ]),
  dryRun: z.boolean(),
  object: z.strictObject({
    kind: z.string(),
    namespace: z.string(),
    name: z.string().nullable(),
    uid: z.string().nullable(),
  }),
  actor: z.strictObject({
    user: z.string().nullable(),
    groups: texts,
    impersonatedBy: z.string().nullable(),
    pod: z.string().nullable(),
    node: z.string().nullable(),
    userAgent: z.string(),
    sourceIPs: texts,
  }),
  outcome: outcomeSchema,
  details: z.strictObject({
    node: z.string().exactOptional(),
    replicas: z.int().exactOptional(),
    gracePeriodSeconds: z.int().exactOptional(),
    generateName: z.string().exactOptional(),
    labelSelector: z.string().exactOptional(),
    fieldSelector: z.string().exactOptional(),
    objects: z
      .array(z.strictObject({ name: z.string(), uid: z.string().nullable() }))
      .readonly()
      .exactOptional(),
    taints: texts.exactOptional(),
  }),
  admission: z
    .strictObject({
      mutatedBy: texts,
      failedOpen: texts,
      violated: z.array(z.strictObject({ policy: z.string(), binding: z.string(), message: z.string() })).readonly(),
    })
    .nullable(),
});

/** What `podtrail audit -o json` prints. */
export const auditSchema = z.strictObject({
  query: z.strictObject({
    namespace: z.string().nullable(),
    pod: z.string().nullable(),
    since: instant.nullable(),
    until: instant.nullable(),
  }),
  actions: z.array(actionSchema).readonly(),
  summary: z.strictObject({
    lines: z.int(),
    bytes: z.int(),
    actions: z.int(),
    shown: z.int(),
    repeated: z.int(),
    damaged: z.int(),
  }),
});

export type ActionDocument = z.infer<typeof actionSchema>;
export type AuditDocument = z.infer<typeof auditSchema>;
