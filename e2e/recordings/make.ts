// `npm run proof -- nodes` leaves a run folder; this makes a recording of it: a part of its time, without what the
// ledger never reads, small enough to be kept. `node e2e/recordings/make.ts RUN_FOLDER NAME [SECONDS]`
import { createWriteStream } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import {
  type ActionLine,
  type CniLine,
  type IpamLine,
  type LinkLine,
  type PacketLine,
  readLines,
  readRun,
  type WatchLine,
} from '../proof/nodes/run-folder.ts';
import { scrubbed, short } from './scrub.ts';

const MILLI = 1_000_000;
/** A packet of a pod is kept if the last one kept is this old. */
const PACKETS_EVERY_MS = 500;

const [from, name, seconds = '1000000'] = process.argv.slice(2);
if (from === undefined || name === undefined) {
  process.stderr.write('usage: node e2e/recordings/make.ts RUN_FOLDER NAME [SECONDS]\n');
  process.exit(2);
}
await make(from, join(import.meta.dirname, name), Number(seconds) * 1000);

async function make(source: string, target: string, lengthMs: number): Promise<void> {
  await mkdir(target, { recursive: true });
  const run = await readRun(source);
  const to = Math.min(run.to, run.from + lengthMs);
  // What happened last must have been said.
  const end = to + 20_000;
  await writeFile(join(target, 'run.json'), `${JSON.stringify({ ...run, to })}\n`);
  await keep<WatchLine>(source, target, 'watch', (line) => (line.at > end ? undefined : scrubbed(line)));
  await keep<CniLine>(source, target, 'cni', (line) => (line.t / MILLI > end ? undefined : short(line)));
  await keep<IpamLine>(source, target, 'ipam', (line) => (line.t / MILLI > end ? undefined : short(line)));
  await keep<LinkLine>(source, target, 'links', (line) => (line.t / MILLI > end ? undefined : line));
  await keep<ActionLine>(source, target, 'actions', (line) => (line.at > end ? undefined : line));
  await keep<{ from: number }>(source, target, 'outages', (line) => (line.from > end ? undefined : line));
  const last = new Map<string, number>();
  await keep<PacketLine>(source, target, 'packets', (line) => {
    const at = line.sent / MILLI;
    if (at > to || at - (last.get(line.uid) ?? 0) < PACKETS_EVERY_MS) return undefined;
    last.set(line.uid, at);
    return line;
  });
}

async function keep<T>(source: string, target: string, name: string, take: (line: T) => T | undefined): Promise<void> {
  const zip = createGzip({ level: 9 });
  const file = zip.pipe(createWriteStream(join(target, `${name}.jsonl.gz`)));
  for await (const line of readLines<T>(source, name)) {
    const taken = take(line);
    if (taken !== undefined) zip.write(`${JSON.stringify(taken)}\n`);
  }
  zip.end();
  await new Promise<void>((resolve, reject) => file.on('finish', resolve).on('error', reject));
}
