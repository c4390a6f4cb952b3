// Lives the crash story on a store and dies at the failpoint that it is given; says which steps were acknowledged. Run by crash.test.ts.
import { writeSync } from 'node:fs';
import type { Failpoint } from '../failpoints.ts';
import { SqliteEngine } from '../sqlite-engine.ts';
import { live } from './crash-story.ts';

const [path, name, nth] = process.argv.slice(2);
const death = { at: name as Failpoint, nth: Number(nth) };
const engine = await SqliteEngine.open({ path: path!, access: 'write', sealAt: 1, death });
// At once, past every buffer: the process may be gone a moment later.
await live(engine, 0, (step) => writeSync(1, `${step}\n`));
await engine.close();
