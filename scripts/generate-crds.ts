// Writes deploy/crds/, and the copy that kustomize needs under its own root, from the TypeScript source of truth in the
// operator. Tests fail when somebody forgot to.
import { mkdirSync, writeFileSync } from 'node:fs';

interface CrdFiles {
  crdFiles(): ReadonlyMap<string, string>;
}

// By a computed path: scripts know none of our packages, and this one only passes text on.
const source = new URL('../packages/operator/src/crds/crd-files.ts', import.meta.url);
const TARGETS = ['deploy/crds/', 'deploy/kustomize/crds/'];

const { crdFiles } = (await import(source.href)) as CrdFiles;
for (const folder of TARGETS) {
  const target = new URL(`../${folder}`, import.meta.url);
  mkdirSync(target, { recursive: true });
  for (const [name, text] of crdFiles()) {
    writeFileSync(new URL(name, target), text);
    process.stdout.write(`${folder}${name}: ${text.length} bytes\n`);
  }
}
