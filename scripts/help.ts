// `npm run help`: lists the npm scripts with the descriptions that package.json keeps under `podtrail.scripts`.
import { readFileSync } from 'node:fs';

export interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly podtrail: { readonly scripts: Readonly<Record<string, string>> };
}

export function describeScripts({ scripts, podtrail }: Manifest): string {
  const names = Object.keys(scripts);
  const commands = names.map((name) => (name === 'start' || name === 'test' ? `npm ${name}` : `npm run ${name}`));
  const width = Math.max(...commands.map((command) => command.length));
  return names.map((name, i) => `  ${commands[i]?.padEnd(width)}  ${podtrail.scripts[name] ?? ''}\n`).join('');
}

if (import.meta.main) {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest;
  process.stdout.write(`Once: npm ci. Then:\n${describeScripts(manifest)}`);
}
