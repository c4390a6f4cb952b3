// A route of the API with its description: OpenAPI and the matrix of who may see what are made from the same list that the
// server routes by, so that none can be forgotten.
import type { z } from 'zod';
import type { Route } from '../http/route.ts';

/** Media types, each with its schema. `text`: whatever the sender has. */
export type Contents = Readonly<Record<string, z.ZodType | 'text'>>;

export interface Operation extends Route {
  /** Unique, as generated clients call it. */
  readonly id: string;
  /** One sentence. */
  readonly summary: string;
  readonly query?: z.ZodObject | undefined;
  /** Those of the request that mean something here, each with its sentence. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: Contents | undefined;
  readonly reply: Contents;
  /** Other answers than 200 that are no problems, by their status, each with its sentence; without a body. */
  readonly also?: Readonly<Record<number, string>> | undefined;
  /** Of its query, in order to try it. */
  readonly example?: Readonly<Record<string, string | number | boolean>> | undefined;
}

export const API = '/api/v1';
