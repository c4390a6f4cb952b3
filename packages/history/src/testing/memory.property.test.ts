import { MemoryEngine } from '../engines/memory/memory-engine.ts';
import { ledgerProperties } from './ledger-properties.ts';

ledgerProperties({ name: 'the memory engine', open: async () => new MemoryEngine() });
