import { MemoryEngine } from '../engines/memory/memory-engine.ts';
import { answerProperties, truthProperties } from './properties/answer-properties.ts';
import { crashProperties } from './properties/crash-properties.ts';
import type { PropertySubject } from './properties/property-suite.ts';
import { recordProperties } from './properties/record-properties.ts';
import { replayProperties, samenessProperties } from './properties/replay-properties.ts';

const memory: PropertySubject = { name: 'the memory engine', open: async () => new MemoryEngine() };

recordProperties(memory);
answerProperties(memory);
truthProperties(memory);
replayProperties(memory);
samenessProperties(memory);
crashProperties(memory);
