import { engineContract } from '../testing/contract/engine-contract.ts';
import { MemoryEngine } from './memory-engine.ts';

engineContract({ name: 'in memory', open: async () => new MemoryEngine() });
