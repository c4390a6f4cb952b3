// A process that opens a store for writing, stores a tenure, says so, and holds the store; each line on its standard
// input makes it store another. Killed by the test that starts it.
import { createInterface } from 'node:readline';
import { aTenure, tenureFact } from '../../testing/record-builders.ts';
import { SqliteEngine } from '../sqlite-engine.ts';

const PROD = { id: 'b7c0b3a4-0000-4000-8000-000000000001', name: 'prod' };
const engine = await SqliteEngine.open({ path: process.argv[2]!, access: 'write' });
const writer = await engine.takeOver(PROD);
let stored = 0;
const store = async (): Promise<void> => {
  await writer.append({ facts: [tenureFact(aTenure(`10.0.0.${++stored}`, `pod-${stored}`, 100))] });
  process.stdout.write(`stored ${stored}\n`);
};
await store();
for await (const _ of createInterface(process.stdin)) await store();
