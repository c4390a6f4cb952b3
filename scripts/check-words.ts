// Words that docs/glossary.md replaces do not come back: in code, comments, documents and names of files. Run by
// `npm run check`. A place that must keep one is in ALLOWED, with its reason.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { argv, exit, stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';

interface Replaced {
  readonly word: string;
  readonly use: string;
}

const REPLACED: readonly Replaced[] = [
  { word: 'told', use: 'delivered, reported, recorded, notified' },
  { word: 'tidings', use: 'report' },
  { word: 'heard', use: 'received, seen, reached' },
  { word: 'wish', use: 'request, options' },
  { word: 'wishes', use: 'requests' },
  { word: 'anew', use: 'again' },
  { word: 'risen', use: 'reappeared, restored' },
  { word: 'trouble', use: 'backoff, fault, failure' },
  { word: 'guests', use: 'pods' },
  { word: 'surroundings', use: 'env' },
];

/** Part of a path, and why its words stay. */
const ALLOWED: Readonly<Record<string, string>> = {
  'scripts/check-words': 'it names them',
  'CHANGELOG.md': 'it names what was renamed',
  'package-lock.json': 'names of packages',
  'e2e/recordings/mechanisms/': 'recorded bytes',
};

const TEXT = /\.(?:ts|mjs|md|json|yaml|trail|go)$/;

export interface FoundWord {
  readonly path: string;
  readonly line: number;
  readonly word: string;
  readonly use: string;
}

/** Whole words in any case, and parts of names in camel case and in constants. */
export function wordsIn(path: string, text: string): FoundWord[] {
  if (Object.keys(ALLOWED).some((part) => path.includes(part))) return [];
  const found: FoundWord[] = [];
  for (const [index, line] of [path, ...text.split('\n')].entries()) {
    for (const { word, use } of REPLACED) {
      if (patternOf(word).test(line)) found.push({ path, line: index, word, use });
    }
  }
  return found;
}

function patternOf(word: string): RegExp {
  const capital = word[0]?.toUpperCase() + word.slice(1);
  const name = `(?<=[a-z])${capital}(?![a-z])|(?<![A-Za-z])${word}(?=[A-Z_-])`;
  return new RegExp(`(?<![A-Za-z])(?:${word}|${capital}|${word.toUpperCase()})(?![A-Za-z])|${name}`);
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const files = execFileSync('git', ['ls-files'], { encoding: 'utf8', maxBuffer: 1 << 24 }).split('\n');
  const texts = files.filter((path) => TEXT.test(path) && existsSync(path));
  const found = texts.flatMap((path) => wordsIn(path, readFileSync(path, 'utf8')));
  for (const { path, line, word, use } of found) stderr.write(`${path}:${line}: "${word}"; use ${use}\n`);
  if (found.length > 0) {
    stderr.write('hint: docs/glossary.md has the words; a place that must keep one goes into ALLOWED here.\n');
    exit(1);
  }
  stdout.write(`No replaced word in ${texts.length} files.\n`);
}
