// The demo's ledger with hostile text wherever Kubernetes allows any text: values of annotations, messages, and the name
// of the cluster. Names of pods, nodes and namespaces cannot be hostile: the API server refuses them. Used by the tests of
// this folder.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { podtrail } from '../cli/podtrail-process.ts';
import type { Served } from './served-ledger.ts';

/** What would run, or overwrite what stands beside it, where text is taken for markup. */
const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '"><script>alert(1)</script>',
  "javascript:alert('1')",
  '{{constructor.constructor("alert(1)")()}}',
  '</textarea></style></title><svg onload=alert(1)>',
  '\u202egnp.exe\u2066 right to left \u200f',
  'zero\u200bwidth\ufeffand\u0000nul',
  `${'a very long text '.repeat(500)}${'x'.repeat(5000)}`,
];
export const HOSTILE_CLUSTER = '<img src=x onerror=alert(1)>\u202edliub';

/** A store at `sqlite:DIRECTORY/hostile.db`. */
export async function hostileLedger(demo: Pick<Served, 'store'>, directory: string): Promise<string> {
  const exported = join(directory, 'export.jsonl');
  const hostile = join(directory, 'hostile.jsonl');
  const store = `sqlite:${join(directory, 'hostile.db')}`;
  const { code, out, err } = await podtrail(`export --store ${demo.store}`);
  if (code !== 0) throw new Error(`podtrail export has failed: ${err}`);
  await writeFile(exported, out);
  const [head = '', ...lines] = (await readFile(exported, 'utf8')).trimEnd().split('\n');
  const { cluster, ...rest } = JSON.parse(head);
  const changed = lines.map((line, i) => JSON.stringify(withHostileText(JSON.parse(line), i)));
  const first = JSON.stringify({ ...rest, cluster: { ...cluster, name: HOSTILE_CLUSTER } });
  await writeFile(hostile, `${[first, ...changed].join('\n')}\n`);
  const imported = await podtrail(`import ${hostile} --store ${store}`);
  if (imported.code !== 0) throw new Error(`podtrail import has failed: ${imported.err}`);
  return store;
}

/** The values of a change, and every message that says something. */
function withHostileText(value: unknown, i: number): unknown {
  if (Array.isArray(value)) return value.map((item) => withHostileText(item, i));
  if (typeof value !== 'object' || value === null) return value;
  const text = HOSTILE[i % HOSTILE.length];
  const entries = Object.entries(value).map(([key, inner]) => {
    if (key === 'message' && typeof inner === 'string' && inner !== '') return [key, text];
    const isValue = (key === 'before' || key === 'after') && typeof inner?.text === 'string';
    return [key, isValue ? { ...inner, text } : withHostileText(inner, i)];
  });
  return Object.fromEntries(entries);
}
