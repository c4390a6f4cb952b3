// Checks that the documents speak of things that exist: local links everywhere; in the documents that describe the
// house also paths in `code spans` and npm scripts. No document may cite line numbers, because they drift. Run by
// `npm run check`. Heuristic on purpose: what it takes for a path is written at `looksLikePath`.
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, matchesGlob, normalize } from 'node:path';
import { type MarkdownParts, readMarkdown } from './docs/read-markdown.ts';

/** Documents that describe the present. Others (decisions, the changelog) may name what was or what will be. */
const DESCRIBING = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'packages/*/README.md'],
  ...['e2e/README.md', 'bench/README.md', 'examples/README.md', 'deploy/README.md', 'docs/README.md'],
  'docs/trace.md',
];
/** Each row of its table names files, and what is to be read in them. */
const TRACE = 'docs/trace.md';
const FILE_ENDINGS = /[\w*}-]\.(?:ts|mts|mjs|js|json|jsonc|md|yaml|yml|sh|go|mod)$/;
const LINE_NUMBER = /\b[\w-]+\.(?:ts|mjs|js|json|md|go|yaml):\d+|#L\d+|\blines? \d+/i;

/** One sentence for each thing that is not so, in the order of the documents. */
export function findDocFaults(root: string): string[] {
  const exclude = (path: string) => path.split(/[\\/]/).some((name) => name === 'node_modules' || name === 'dist');
  const files = globSync('**/*.{ts,md,mjs,js,json,yaml,yml,go,mod,sh}', { cwd: root, exclude });
  const basenames = files.map((file) => basename(file));
  const describing = new Set(globSync(DESCRIBING, { cwd: root }));
  const documents = files.filter((file) => file.endsWith('.md')).sort();
  const parsed = new Map(documents.map((file) => [file, readMarkdown(readFileSync(join(root, file), 'utf8'))]));
  return [...parsed].flatMap(([file, parts]) => {
    const faults = [...linkFaults(root, file, parts, parsed), ...lineNumberFaults(parts)];
    if (describing.has(file)) faults.push(...pathFaults(root, file, parts, basenames), ...scriptFaults(root, parts));
    if (file === TRACE) faults.push(...nameFaults(root, parts));
    return faults.map((fault) => `${file} ${fault}`);
  });
}

/** A function that was renamed or has moved to another file leaves its row behind. */
function nameFaults(root: string, { prose }: MarkdownParts): string[] {
  const rows = prose.filter((line) => /^\| \d+ \|/.test(line)).map((line) => line.split('|')[2] ?? '');
  return rows.flatMap((cell) => {
    const spans = [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
    const paths = spans.filter((span) => span.includes('/') && existsSync(join(root, span)));
    const text = paths.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');
    const names = spans.filter((span) => !span.includes('/'));
    return names.flatMap((name) => (hasName(text, name) ? [] : [`names ${name}, which is not in ${paths.join(', ')}`]));
  });
}

function hasName(text: string, name: string): boolean {
  const plain = name.replaceAll(/[^\w#$]/g, '');
  return new RegExp(`(^|[^\\w#$])${plain.replaceAll('$', '\\$')}(?![\\w$])`, 'm').test(text);
}

function linkFaults(
  root: string,
  file: string,
  { links, anchors }: MarkdownParts,
  parsed: ReadonlyMap<string, MarkdownParts>,
): string[] {
  return links.flatMap((link) => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return []; // another place
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : normalize(join(dirname(file), decodeURIComponent(path)));
    if (!existsSync(join(root, target))) return [`links to ${link}, which does not exist`];
    const known = path === '' ? anchors : parsed.get(target)?.anchors;
    const missing = anchor !== undefined && known !== undefined && !known.has(anchor);
    return missing ? [`links to ${link}, but there is no such heading`] : [];
  });
}

function lineNumberFaults({ prose }: MarkdownParts): string[] {
  return prose.flatMap((line) => {
    const cited = LINE_NUMBER.exec(line)?.[0];
    return cited === undefined ? [] : [`cites a line number (${cited}); name the thing instead`];
  });
}

function pathFaults(
  root: string,
  file: string,
  { codeSpans, shellLines }: MarkdownParts,
  basenames: readonly string[],
): string[] {
  const topLevel = new Set(readdirSync(root));
  const words = shellLines.flatMap((line) => line.split(/\s+/)).filter((word) => topLevel.has(firstSegment(word)));
  return [...new Set([...codeSpans, ...words])].flatMap((span) => {
    if (!looksLikePath(span, topLevel)) return [];
    const known = span.includes('/')
      ? existsSomewhere(root, dirname(file), span)
      : basenames.some((name) => matchesGlob(name, span));
    return known ? [] : [`names ${span}, which does not exist`];
  });
}

/** No spaces, not absolute (that is a URL's path), and it begins in a folder of ours, ends like a file, or ends in a slash. */
function looksLikePath(span: string, topLevel: ReadonlySet<string>): boolean {
  if (!/^[\w.@*{},/-]+$/.test(span) || /^[/@]/.test(span)) return false;
  const nested = span.includes('/') && topLevel.has(firstSegment(span));
  return nested || FILE_ENDINGS.test(span) || (span.endsWith('/') && !span.startsWith('*'));
}

/** From the repository's root, or from the folder of the document. */
function existsSomewhere(root: string, folder: string, path: string): boolean {
  return [root, join(root, folder)].some((base) =>
    /[*{]/.test(path) ? globSync(path, { cwd: base }).length > 0 : existsSync(join(base, path)),
  );
}

function firstSegment(path: string): string {
  return path.replace(/^\.\//, '').split('/')[0] ?? '';
}

function scriptFaults(root: string, { codeSpans, shellLines }: MarkdownParts): string[] {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts?: Record<string, string> };
  const text = [...codeSpans, ...shellLines].join('\n');
  const named = [...text.matchAll(/\bnpm (?:run ([\w:-]+)|(start|test)\b)/g)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
  return [...new Set(named)].flatMap((name) =>
    Object.hasOwn(manifest.scripts ?? {}, name) ? [] : [`names the npm script ${name}, which does not exist`],
  );
}

if (import.meta.main) {
  const faults = findDocFaults(process.cwd());
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
  else process.stdout.write('Every path, link and script that the documents name exists.\n');
}
