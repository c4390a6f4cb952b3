// The program of a store's thread: the engine's part of it, and the answers that are given inside it. It stands above both,
// so that the engine need not know what is asked. Started by thread-client.ts.
import { runStoreThread } from './engines/sqlite/thread/store-thread.ts';
import { answerPoints } from './wire/points.ts';

runStoreThread(answerPoints);
