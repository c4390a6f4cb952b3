// The version of this package, read from its manifest.
import { readFileSync } from 'node:fs';

export function podtrailVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  return manifest.version;
}
