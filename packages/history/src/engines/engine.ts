// What an engine is: the three interfaces of a store behind one URL. Functions take only the one that they need.
import type { LedgerWriter } from './ledger-writer.ts';
import type { LedgerReader } from './snapshot.ts';
import type { StoreAdmin } from './store-admin.ts';

export interface Engine extends LedgerReader, LedgerWriter, StoreAdmin {
  close(): Promise<void>;
}
