// Compares our tests with client-go's by name, from the conformance.json files of the machinery. Run by `npm run check`.
//   node scripts/check-conformance.ts            fails when something is missing, wrong, or CONFORMANCE.md is stale
//   node scripts/check-conformance.ts --write    writes CONFORMANCE.md
//   node scripts/check-conformance.ts --refresh  reads the names of client-go's tests again (needs Go's module cache)
//   node scripts/check-conformance.ts --verify   fails when that would change them; run by a test in e2e/
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { MODULE } from './conformance/compared-files.ts';
import { compare, storedUpstream, UPSTREAM, type Upstream } from './conformance/comparison.ts';
import { renderDocument } from './conformance/document.ts';
import { readUpstreamTests } from './conformance/upstream-tests.ts';

const DOCUMENT = 'packages/machinery/CONFORMANCE.md';
/** The module that our control plane is built from: it pins the version of client-go. */
const PINNED_BY = 'e2e/controlplane/binaries/kubernetes';

/** The names as they are in Go's module cache now. */
function presentUpstream(root: string): Upstream {
  const go = ['mod', 'download', '-json', MODULE];
  const answer = execFileSync('go', go, { cwd: join(root, PINNED_BY), encoding: 'utf8' });
  const { Version: version, Dir: folder } = JSON.parse(answer) as { Version: string; Dir: string };
  return { module: MODULE, version, tests: readUpstreamTests(folder) };
}

/** One sentence for each thing that is not so. */
export function findConformanceFaults(root: string): string[] {
  const comparison = compare(root);
  if (comparison.faults.length > 0) return [...comparison.faults];
  const path = join(root, DOCUMENT);
  const written = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return written === renderDocument(comparison)
    ? []
    : [`${DOCUMENT} is stale: write it with node scripts/check-conformance.ts --write`];
}

if (import.meta.main) {
  const root = process.cwd();
  const flags = new Set(process.argv.slice(2));
  if (flags.has('--refresh')) {
    writeFileSync(join(root, UPSTREAM), `${JSON.stringify(presentUpstream(root), null, 2)}\n`);
  }
  const stale = flags.has('--verify') && !isDeepStrictEqual(storedUpstream(root), presentUpstream(root));
  if (flags.has('--write')) {
    const comparison = compare(root);
    if (comparison.faults.length === 0) writeFileSync(join(root, DOCUMENT), renderDocument(comparison));
  }
  const faults = findConformanceFaults(root);
  if (stale) faults.push(`${UPSTREAM} is stale: write it with node scripts/check-conformance.ts --refresh`);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
  else process.stdout.write("Each of client-go's tests has a test of ours or a reason.\n");
}
