// Writes deploy/crds/ from the TypeScript source of truth in the operator. A test there fails when somebody forgot to.
import { mkdirSync, writeFileSync } from 'node:fs';

interface CrdFiles {
  crdFiles(): ReadonlyMap<string, string>;
}

// By a computed path: scripts know none of our packages, and this one only passes text on.
const source = new URL('../packages/operator/src/crds/crd-files.ts', import.meta.url);
const target = new URL('../deploy/crds/', import.meta.url);

const { crdFiles } = (await import(source.href)) as CrdFiles;
mkdirSync(target, { recursive: true });
for (const [name, text] of crdFiles()) {
  writeFileSync(new URL(name, target), text);
  process.stdout.write(`deploy/crds/${name}: ${text.length} bytes\n`);
}
