// Why a stay ended, who took its place, and how the pod had lived.
import { z } from 'zod';
import { CAUSES } from '../../explain/cause.ts';
import { MILESTONES } from '../../explain/lifecycle.ts';
import { holderSchema } from './holder.ts';
import { instant } from './query.ts';

export const causeSchema = z.enum(CAUSES);

export const certaintySchema = z.enum(['certain', 'inferred']);

/** Of a pod whose life is stored. */
export const lifeSchema = z.strictObject({
  lifecycle: z
    .array(
      z.strictObject({
        name: z.enum(MILESTONES),
        at: instant,
        /** Since the one before; null for the first. */
        afterMs: z.number().nullable(),
        detail: z.string(),
      }),
    )
    .readonly(),
  qosClass: z.string(),
  priority: z.int(),
  restarts: z.int(),
  endings: z
    .array(
      z.strictObject({
        container: z.string(),
        reason: z.string(),
        exitCode: z.int(),
        signal: z.int(),
        at: instant,
      }),
    )
    .readonly(),
});

/** `certain`: nobody else can have taken its place. */
export const successorSchema = z.strictObject({ ...holderSchema.shape, certain: z.boolean() });

export const verdict = {
  /** Null while it goes on, and where the cause is missing. */
  cause: causeSchema.nullable(),
  certainty: certaintySchema.nullable(),
  sentence: z.string().nullable(),
  actor: z.string().exactOptional(),
  /** It ended, and why was never recorded, or is not there any more. */
  causeMissing: z.enum(['not-recorded', 'expired']).exactOptional(),
};

/** Why a stay ended. A pod that has begun to end may still be there. */
export const ending = {
  ...verdict,
  /** Who took its place, as far as is known. */
  successor: successorSchema.nullable(),
  life: lifeSchema.nullable(),
};

const endingSchema = z.strictObject(ending);

export type LifeDocument = z.infer<typeof lifeSchema>;
export type SuccessorDocument = z.infer<typeof successorSchema>;
export type EndingDocument = z.infer<typeof endingSchema>;
