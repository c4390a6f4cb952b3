// What a case is, and what it is given: the same for both servers. Cases are data; run.ts runs them.
import type { Assertions } from './assertions.ts';
import type { Access, RawClient } from './raw-client.ts';

export interface Case {
  /** A sentence about Kubernetes; unique in the whole suite, because accepted differences name it. */
  readonly name: string;
  run(server: Stage, assert: Assertions): Promise<void>;
  /** Takes seconds on the real server: begun first, so that the others run beside it. */
  readonly slow?: boolean;
}

export interface Area {
  readonly area: string;
  readonly cases: readonly Case[];
  /** For cases that change the server under all others, such as compaction: run alone, one after the other. */
  readonly alone?: boolean;
}

export interface Stage {
  /** Where the server is, for what a client hides. */
  readonly address: Pick<Access, 'url' | 'ca'>;
  /** May do everything. */
  readonly client: RawClient;
  /** May get, list and watch pods in the namespace LIMITED_NAMESPACE, and nothing else. */
  readonly limited: RawClient;
  /** Comes with a bearer token that no server knows. */
  readonly stranger: RawClient;
  /** Comes without credentials. */
  readonly anonymous: RawClient;
  /** A new namespace, for one case alone. */
  namespace(): Promise<string>;
  /** A name that no other case uses, for objects without a namespace. */
  unique(prefix: string): string;
  /** History up to now is forgotten: older watches and continue tokens meet 410. */
  compact(): Promise<void>;
}

export const LIMITED_USER = 'reader';
export const LIMITED_NAMESPACE = 'conformance-limited';
