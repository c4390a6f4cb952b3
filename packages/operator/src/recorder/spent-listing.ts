// Gives back what a large listing left behind: once it is stored, its facts and the frames of its stream are garbage,
// half as much again as what is kept. `record` and the operator listen with it; a program that only imports the recorder
// keeps its heap to itself.
import { SpentHeap } from '@podtrail/history';
import type { RecorderListener } from './recorder-listener.ts';

export function collectsSpentListings(heap: Pick<SpentHeap, 'stored'> = new SpentHeap()): RecorderListener {
  return { stored: ({ batch }) => heap.stored(batch.facts.length) };
}
