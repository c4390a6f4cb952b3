// `npm run mutants [-- NAME…]`: plants one plausible bug after the other in a copy of history and shows that its
// property tests catch it. Fails if one survives, if a bug no longer fits the code, or if the tests fail without one.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

interface Mutant {
  readonly name: string;
  readonly title: string;
  readonly file: string;
  readonly search: string;
  readonly replace: string;
  /** Those who are to catch it; the properties of the memory engine unless given. */
  readonly tests?: string;
}

const MUTANTS = 'scripts/mutants';
const PACKAGE = 'packages/history';
const PROPERTIES = `${PACKAGE}/src/testing/memory.property.test.ts`;

process.exitCode = await main(process.argv.slice(2));

async function main(names: readonly string[]): Promise<number> {
  const all = readdirSync(MUTANTS).filter((file) => file.endsWith('.json'));
  const mutants = all.map(readMutant).filter(({ name }) => names.length === 0 || names.includes(name));
  if (mutants.length === 0) return refuse(`No mutant of ${MUTANTS} is called ${names.join(', ')}.`);
  const misfit = mutants.find((mutant) => !fits(mutant));
  if (misfit !== undefined) return refuse(`${misfit.name} no longer fits ${misfit.file}: mend its search text.`);

  const root = mkdtempSync(join(tmpdir(), 'podtrail-mutants-'));
  try {
    cpSync(PACKAGE, join(root, PACKAGE), { recursive: true });
    cpSync('package.json', join(root, 'package.json'));
    symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));
    for (const tests of new Set(mutants.map((mutant) => mutant.tests ?? PROPERTIES))) {
      const failing = await firstFailure(root, tests);
      if (failing !== undefined) return refuse(`Without any mutant this fails: ${failing}`);
    }
    process.stdout.write('without a mutant: all properties hold\n');
    let survivors = 0;
    for (const mutant of mutants) if (!(await isCaught(root, mutant))) survivors++;
    process.stdout.write(`${mutants.length - survivors} of ${mutants.length} mutants caught\n`);
    return survivors === 0 ? 0 : 1;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function readMutant(file: string): Mutant {
  const mutant = JSON.parse(readFileSync(join(MUTANTS, file), 'utf8')) as Omit<Mutant, 'name'>;
  return { name: basename(file, '.json'), ...mutant };
}

/** Its text stands in the file exactly once. */
function fits({ file, search }: Mutant): boolean {
  return readFileSync(file, 'utf8').split(search).length === 2;
}

async function isCaught(
  root: string,
  { name, title, file, search, replace, tests = PROPERTIES }: Mutant,
): Promise<boolean> {
  const path = join(root, file);
  const source = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    source.replace(search, () => replace),
  );
  try {
    const failing = await firstFailure(root, tests);
    process.stdout.write(`${failing === undefined ? 'SURVIVED' : 'caught'}  ${name}: ${title}\n`);
    if (failing !== undefined) process.stdout.write(`        by ${failing}\n`);
    return failing !== undefined;
  } finally {
    writeFileSync(path, source);
  }
}

/** The title of the first property that fails; the rest is not waited for. Undefined when all hold. */
function firstFailure(root: string, tests: string): Promise<string | undefined> {
  const args = ['--test-reporter=tap', tests];
  const env = { ...process.env, PODTRAIL_SHRINK: 'never' };
  const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  let failing: string | undefined;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    const found = /^\s*not ok \d+ - (.*)$/m.exec(output);
    if (found === null || failing !== undefined) return;
    failing = found[1];
    child.kill('SIGTERM');
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      resolve(failing ?? (code === 0 ? undefined : `the test run itself (exit code ${code})`)),
    );
  });
}

function refuse(sentence: string): number {
  process.stderr.write(`${sentence}\n`);
  return 1;
}
