// `npm test` and `npm run e2e`: finds the test files of a suite, runs each in its own process, prints every skip with
// its reason and ends with the line `N passed, M failed, K skipped`. Fails on a failed test, on a skip that
// e2e/allowed-skips.json does not list, and when nothing ran. Appends its counts to PODTRAIL_TALLY_FILE for .ci/run.
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeSkip, readAllowedSkips, unlistedSkips } from './tests/allowed-skips.ts';
import { endTestFiles, runTestFile } from './tests/run-test-file.ts';
import { addTallies, describeFailure, summaryLine, type Tally, tallyFile } from './tests/tally.ts';
import { parseTestArguments, type TestArguments } from './tests/test-arguments.ts';
import { apart, findTestFiles } from './tests/test-suites.ts';

/** npm starts scripts in the folder of package.json; the tests of this file start it in made-up trees. */
const ROOT = process.cwd();
const ALLOWED_SKIPS = 'e2e/allowed-skips.json';
const CONTROL_PLANE_BUILD = 'e2e/controlplane/build.ts';
const GRACE_MS = 10_000;
const WEB = 'e2e/web/';

process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<number> {
  let args: TestArguments;
  let allowed: ReturnType<typeof readAllowedSkips>;
  try {
    args = parseTestArguments(argv);
    allowed = readAllowedSkips(join(ROOT, ALLOWED_SKIPS));
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
  const files = findTestFiles(ROOT, args.suite, args.filters);
  if (files.length === 0) {
    return refuse(`No test file of the suite ${args.suiteName} matches ${args.filters.join(', ') || 'its patterns'}.`);
  }
  // The page is tested on the demo, which needs none.
  const needsControlPlane = args.suiteName === 'e2e' && files.some((file) => !file.startsWith(WEB));
  if (needsControlPlane && !controlPlaneIsBuilt()) return 1;

  const tally = await runFiles(files, args);
  return report(tally, args, allowed);
}

/** What is missing (Go, most of all) has been said in one sentence by the build itself. */
function controlPlaneIsBuilt(): boolean {
  if (!existsSync(join(ROOT, CONTROL_PLANE_BUILD))) {
    refuse(`${CONTROL_PLANE_BUILD} is not there, so there is no control plane to test on.`);
    return false;
  }
  return spawnSync(process.execPath, [CONTROL_PLANE_BUILD], { cwd: ROOT, stdio: 'inherit' }).status === 0;
}

async function runFiles(files: readonly string[], args: TestArguments): Promise<Tally> {
  const scratch = mkdtempSync(join(tmpdir(), 'podtrail-tests-'));
  const { together, alone } = apart(ROOT, files);
  const tallies: Tally[] = [];
  let interrupted: NodeJS.Signals | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      interrupted ??= signal;
      for (const waiting of [together, alone]) waiting.length = 0;
      endTestFiles(signal, GRACE_MS);
    });
  }
  const runAtOnce = async (waiting: string[], workers: number) => {
    const live = workers === 1;
    const work = async (_: unknown, worker: number) => {
      for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
        const started = performance.now();
        let held = '';
        if (live) process.stdout.write(`\n── ${file}\n`);
        const outcome = await runTestFile(file, {
          root: ROOT,
          scratch,
          worker: { index: worker, of: workers },
          limitMs: args.suite.fileLimitMs,
          testLimitMs: args.suite.testLimitMs,
          graceMs: GRACE_MS,
          nodeArgs: args.namePattern === undefined ? [] : [`--test-name-pattern=${args.namePattern}`],
          colour: process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined,
          // Two files at once must not mix their lines.
          onOutput: (text) => void (live ? process.stdout.write(text) : (held += text)),
        });
        const seconds = ((performance.now() - started) / 1000).toFixed(1);
        process.stdout.write(live ? `── ${file} took ${seconds} s\n` : `\n── ${file} (${seconds} s)\n${held}`);
        tallies.push(tallyFile(outcome, args.namePattern !== undefined));
      }
    };
    await Promise.all(Array.from({ length: workers }, work));
  };
  try {
    // One file by itself is shown as it runs.
    await runAtOnce(together, Math.min(args.suite.concurrency, Math.max(together.length, 1)));
    await runAtOnce(alone, 1);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  if (interrupted !== undefined) {
    tallies.push({ passed: [], failed: [{ title: `the run was interrupted by ${interrupted}` }], skipped: [] });
  }
  return addTallies(tallies);
}

function report(tally: Tally, args: TestArguments, allowed: ReturnType<typeof readAllowedSkips>): number {
  const unlisted = unlistedSkips(tally.skipped, allowed);
  const lines = [...tally.skipped.map((skip) => describeSkip(skip, allowed)), ...tally.failed.map(describeFailure)];
  for (const skip of unlisted) {
    lines.push(`"${skip.title}" was skipped and ${ALLOWED_SKIPS} does not list it with a reason, so this run fails.`);
  }
  const ran = tally.passed.length + tally.failed.length;
  if (ran === 0) lines.push('No test ran, so this run fails.');
  process.stdout.write(`\n${[...lines, summaryLine(tally)].join('\n')}\n`);

  const tallyFilePath = process.env['PODTRAIL_TALLY_FILE'];
  if (tallyFilePath) {
    const counts = [tally.passed.length, tally.failed.length, tally.skipped.length];
    appendFileSync(tallyFilePath, `${args.suiteName} ${counts.join(' ')}\n`);
  }
  return tally.failed.length > 0 || unlisted.length > 0 || ran === 0 ? 1 : 0;
}

function refuse(sentence: string): number {
  process.stderr.write(`${sentence}\n`);
  return 1;
}
