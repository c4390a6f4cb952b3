#!/usr/bin/env node
// What `podtrail` and `kubectl podtrail` start. Plain JavaScript that imports nothing of ours before it has looked at the
// Node it runs on, because that may be any: where it is too old, the Node that npm installed beside this package takes
// over, and where that is missing too, one sentence says so instead of a stack trace.
const OLDEST_NODE = [24]; // the `engines` of our packages
const OLDEST_SQLITE = [3, 51, 3]; // what a store asks for; some Nodes from 24 on carry an older one
const PROGRAM = new URL('./main.ts', import.meta.url);
const WATCHDOG = new URL('./end-with-parent.ts', import.meta.url);

const node = process.versions.node;
const isNewEnough = isAtLeast(node, OLDEST_NODE);
const fits = isNewEnough && isAtLeast(process.versions.sqlite || '0', OLDEST_SQLITE);
const brought = fits ? undefined : await broughtNode();

if (brought === undefined) await runHere('it is not there');
else await runOn(brought);

function isAtLeast(version, wanted) {
  const parts = version.split('.').map(Number);
  for (const [at, part] of wanted.entries()) {
    if ((parts[at] || 0) !== part) return (parts[at] || 0) > part;
  }
  return true;
}

/** The optional dependency for this machine; undefined where npm has left it out (--omit=optional, another platform). */
async function broughtNode() {
  const { createRequire } = await import('node:module');
  const { join } = await import('node:path');
  const require = createRequire(import.meta.url);
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  for (const name of [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`]) {
    try {
      const manifest = require.resolve(`${name}/package.json`);
      return join(manifest, '..', require(manifest).bin.node);
    } catch {
      // Not this one.
    }
  }
  return undefined;
}

/** With the terminal, files and signals of this process, which only waits for it. */
async function runOn(program) {
  const { spawn } = await import('node:child_process');
  const { fileURLToPath } = await import('node:url');
  const words = [
    '--import',
    `${WATCHDOG.href}?parent=${process.pid}`,
    fileURLToPath(PROGRAM),
    ...process.argv.slice(2),
  ];
  const child = spawn(program, words, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => runHere(`it does not start: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** A Node that is new enough, but for its SQLite, does whatever needs no store; a store says what it lacks. */
async function runHere(why) {
  if (isNewEnough) {
    await import(PROGRAM.href);
    return;
  }
  process.stderr.write(
    `This is Node ${node}, and podtrail needs Node ${OLDEST_NODE[0]} or newer. npm installs one with podtrail, as an ` +
      `optional dependency (so not with --omit=optional), but ${why}. Install podtrail again, or a newer Node.\n`,
  );
  process.exit(1);
}
