// A server under test: started for one run of the suite, real or embedded.
import type { Access } from '../raw-client.ts';

export interface ServerUnderTest {
  readonly name: 'real' | 'sandbox';
  readonly admin: Access;
  readonly limited: Access;
  readonly stranger: Access;
  readonly anonymous: Access;
  /** May restart the server: pooled connections are void after it. */
  compact(): Promise<void>;
  close(): Promise<void>;
}
