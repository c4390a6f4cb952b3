// Writes the recorded lines that the tests of history's audit reader run on, from a run of the stage on a real control
// plane: node e2e/audit/make.ts. What is left out of them is said in the README beside the file.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { caseLines } from './recorded-cases.ts';
import { AuditStage } from './stage.ts';

const OUT = join(import.meta.dirname, '../../packages/history/src/audit/testing/recorded.jsonl');
/** Of most cases the line with the answer will do. */
const BOTH_STAGES = new Set(['create-in-shop', 'exec', 'delete', 'no-token', 'webhook-down']);

const stage = await AuditStage.start();
try {
  await stage.prepare();
  await stage.provokeAll();
  const lines = caseLines(stage, await stage.lines())
    .filter(({ case: name, event }) => event.stage !== 'RequestReceived' || BOTH_STAGES.has(name))
    .map((line) => `${JSON.stringify(line, scrubbed)}\n`);
  await writeFile(OUT, lines.join(''));
  process.stdout.write(`${lines.length} lines: ${OUT}\n`);
} finally {
  await stage.stop();
}

/** Without ids of credentials, and without the name server of the machine. */
function scrubbed(key: string, value: unknown): unknown {
  if (key === 'extra') return undefined;
  return typeof value === 'string' ? value.replace(/ on \d+\.\d+\.\d+\.\d+:53/, ' on 192.0.2.53:53') : value;
}
