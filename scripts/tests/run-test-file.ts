// Runs one test file in a process of its own and never waits for ever: a test past its limit fails by its name, and the
// others go on; past the limit of the file the process has to say what it waits for, is asked to end (SIGTERM, so that a
// control plane can be stopped), then killed with everything it started. `node --test` is not used for this because its
// --test-timeout leaves a hanging file running. Called by scripts/run-tests.ts.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FileOutcome, TestRecord } from './tally.ts';
import { REPORT_SIGNAL, readWhatHolds, reportFlags } from './what-holds.ts';

export interface TestFileOptions {
  /** The repository; also the working directory of the tests. */
  readonly root: string;
  /** Where the reporter may write; one folder for each run. */
  readonly scratch: string;
  readonly limitMs: number;
  /** For each test that has no timeout of its own. */
  readonly testLimitMs: number;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** Which of how many workers runs it. What two files must not share at once hangs on it: see `WORKER`. */
  readonly worker: { readonly index: number; readonly of: number };
  readonly nodeArgs: readonly string[];
  readonly colour: boolean;
  /** Text of the file's stdout and stderr, as it comes. */
  onOutput(text: string): void;
}

const REPORTER = fileURLToPath(new URL('tally-reporter.ts', import.meta.url));
/** The variable that tells a test file its worker: `0/2` is the first of two. The harness chooses its ports by it. */
const WORKER = 'PODTRAIL_TEST_WORKER';
/** A process group of its own lets SIGKILL reach grandchildren; Windows has none. */
const GROUPS = process.platform !== 'win32';
/** How long to wait for the rest of a file's output once its process is gone. */
const LAST_WORDS_MS = 2_000;

const running = new Set<ChildProcess>();
let runs = 0;

export function runTestFile(file: string, options: TestFileOptions): Promise<FileOutcome> {
  const run = runs++;
  const destination = join(options.scratch, `${run}.jsonl`);
  const reportName = `${run}.report.json`;
  const reporters = [
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${REPORTER}`, `--test-reporter-destination=${destination}`],
  ];
  const limits = [`--test-timeout=${options.testLimitMs}`, ...reportFlags(options.scratch, reportName)];
  const child = spawn(process.execPath, [...options.nodeArgs, ...limits, ...reporters, file], {
    cwd: options.root,
    detached: GROUPS,
    env: environment(options),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.stdout.setEncoding('utf8').on('data', options.onOutput);
  child.stderr.setEncoding('utf8').on('data', options.onOutput);

  return new Promise((resolve, reject) => {
    let overdue = false;
    let kill: NodeJS.Timeout | undefined;
    const limit = setTimeout(async () => {
      overdue = true;
      child.kill(REPORT_SIGNAL);
      const held = await readWhatHolds(join(options.scratch, reportName));
      options.onOutput(held.map((line) => `${line}\n`).join(''));
      if (exited !== undefined) return;
      child.kill('SIGTERM');
      kill = setTimeout(() => killGroup(child), options.graceMs);
    }, options.limitMs);
    const settle = () => {
      clearTimeout(limit);
      clearTimeout(kill);
      running.delete(child);
    };
    child.on('error', (error) => {
      settle();
      reject(error);
    });
    let exited: FileOutcome['ended'] | undefined;
    const finish = () => {
      if (exited !== undefined) resolve({ file, records: readRecords(destination), ended: exited });
    };
    child.on('exit', (code, signal) => {
      settle();
      if (overdue) killGroup(child);
      const why = overdue
        ? `it did not end within ${options.limitMs / 1000} s and was stopped${lastOf(readRecords(destination))}`
        : `its process was ended by ${signal}`;
      exited = overdue || code === null ? { kind: 'killed', why } : { kind: 'exit', code };
      // A grandchild that keeps the pipe open must not keep us.
      setTimeout(finish, LAST_WORDS_MS).unref();
    });
    child.on('close', finish);
  });
}

function lastOf(records: readonly TestRecord[]): string {
  const last = records.at(-1);
  return last === undefined ? '' : `; the last of its tests to end was "${last.name}"`;
}

/** Without the marks of a node:test process around us, which would silence the reporters of this one. */
function environment({ colour, worker }: TestFileOptions): NodeJS.ProcessEnv {
  // A test that starts a runner of its own must not add to the tally of this one.
  const { NODE_TEST_CONTEXT: _context, PODTRAIL_TALLY_FILE: _tally, ...env } = process.env;
  env[WORKER] = `${worker.index}/${worker.of}`;
  return colour ? { ...env, FORCE_COLOR: '1' } : env;
}

/** For an interrupted run: hands the signal to every file under way, and kills what is left after the grace. */
export function endTestFiles(signal: NodeJS.Signals, graceMs: number): void {
  for (const child of running) {
    child.kill(signal);
    setTimeout(() => killGroup(child), graceMs).unref();
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(GROUPS ? -child.pid : child.pid, 'SIGKILL');
  } catch {
    // The group is gone, which is what was wanted.
  }
}

function readRecords(path: string): TestRecord[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return []; // the process ended before the reporter opened its file; the exit code tells the rest
  }
  const lines = text.split('\n');
  lines.pop(); // empty, or half a line of a killed process
  return lines.map((line) => JSON.parse(line) as TestRecord);
}
