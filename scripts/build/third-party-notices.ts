// The licences of what is in the bundle: whoever passes on code of others passes on their notice. Called by
// scripts/build.ts.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** `inputs` are paths of the bundle's sources. Throws where a package has no licence text to pass on. */
export function thirdPartyNotices(root: string, inputs: readonly string[]): string {
  const names = inputs.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  const sections = [...new Set(names)].sort().map((name) => section(join(root, 'node_modules', name), name));
  return `# Third-party notices\n\nThis package contains code of these packages.\n${sections.join('')}`;
}

function section(directory: string, name: string): string {
  const { version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const [file] = globSync('{LICENSE,LICENCE,License,license}{,.md,.txt}', { cwd: directory });
  if (file === undefined) throw new Error(`${name} is in the bundle and has no file with its licence`);
  const text = readFileSync(join(directory, file), 'utf8').trim();
  return `\n## ${name} ${version} (${license})\n\n\`\`\`text\n${text}\n\`\`\`\n`;
}
