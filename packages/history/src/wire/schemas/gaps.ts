// Times in which nobody watched.
import { z } from 'zod';
import { paging, watchingSchema } from './listing.ts';
import { askedSpan, query } from './query.ts';

export const gapsSchema = z.strictObject({ query: query.extend(askedSpan), ...paging, coverage: watchingSchema });

export type GapsDocument = z.infer<typeof gapsSchema>;
