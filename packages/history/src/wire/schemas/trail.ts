// Where a subject was, stay by stay.
import { z } from 'zod';
import { ending } from './ending.ts';
import { holderSchema, times } from './holder.ts';
import { paging, watchingSchema } from './listing.ts';
import { askedSpan, query, subject } from './query.ts';

export const staySchema = z.strictObject({ ...holderSchema.shape, ip: z.string().nullable(), ...times, ...ending });

export const trailSchema = z.strictObject({
  query: query.extend({ ...subject, ...askedSpan }),
  stays: z.array(staySchema).readonly(),
  ...paging,
  coverage: watchingSchema,
});

export type StayDocument = z.infer<typeof staySchema>;
export type TrailDocument = z.infer<typeof trailSchema>;
