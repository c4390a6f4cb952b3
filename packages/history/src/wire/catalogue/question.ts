// A question that every door asks: its name, what it is asked with, what is sent back. Doors that list them (routes,
// OpenAPI, tools of assistants, the matrix of who may see what) are made from these, so that none can be forgotten.
import type { z } from 'zod';
import type { Cluster, Snapshot } from '../../engines/snapshot.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Visibility } from '../narrowed.ts';

/** What is asked, besides the question itself. */
export interface AskedOf {
  readonly snapshot: Snapshot;
  readonly visibility: Visibility;
  readonly cluster: Cluster;
  readonly now: EpochMillis;
  /** The snapshot joins the ledgers of several replicas: evidence says whose it is. */
  readonly namesCollectors?: boolean;
}

export interface Question<
  Name extends string = string,
  Parameters extends z.ZodObject = z.ZodObject,
  Document extends z.ZodType = z.ZodType,
> {
  readonly name: Name;
  /** One sentence. */
  readonly summary: string;
  readonly parameters: Parameters;
  readonly document: Document;
  /**
   * `anyone`: who may see some namespaces only gets what is said about those, and the document says so. `all-namespaces`:
   * its records name no namespace, so that it is for who may see everything.
   */
  readonly audience: 'anyone' | 'all-namespaces';
  /**
   * It reads all records of a span, which are not sent from replica to replica: it is answered from this ledger alone, and
   * its coverage says what that has not watched.
   */
  readonly isOfOneReplica?: true;
  readonly ask: (of: AskedOf, parameters: z.output<Parameters>) => Promise<z.output<Document>>;
}

/** Keeps the types of its parts. */
export function question<Name extends string, Parameters extends z.ZodObject, Document extends z.ZodType>(
  definition: Question<Name, Parameters, Document>,
): Question<Name, Parameters, Document> {
  return definition;
}
