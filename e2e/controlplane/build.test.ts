import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { cacheKey, cacheRoot } from './cache-directory.ts';
import { PROGRAMS } from './programs.ts';

const directory = await mkdtemp(join(tmpdir(), 'podtrail-build-'));
after(() => rm(directory, { recursive: true }));

test('without Go on PATH the build ends with exit code 1 and one sentence that says what to install', async () => {
  const { code, stderr } = await runBuild({ path: join(directory, 'nowhere'), cache: 'no-go' });
  assert.equal(code, 1);
  assert.match(stderr, /no working Go is on PATH: install Go 1\.\d+(\.\d+)? or newer \(\S+\)\.\n$/);
  assert.equal(stderr.trim().split('\n').length, 1, `more than a line, perhaps a stack trace:\n${stderr}`);
});

test('with a Go that is too old and may not fetch a newer one it says so', async () => {
  const path = await fakeGo('old', '1.20.1', 'local');
  const { code, stderr } = await runBuild({ path, cache: 'old-go' });
  assert.equal(code, 1);
  assert.match(
    stderr,
    /the Go on PATH \(1\.20\.1\) is too old: install Go 1\.\S+ or newer \(\S+\), or unset GOTOOLCHAIN=local\.\n$/,
  );
  assert.equal(stderr.trim().split('\n').length, 1);
});

test('two builds at once build every program once, the second says that it waits, and a third only looks', async () => {
  const path = await fakeGo('new', '99.0.0', 'auto', `while [ ! -e "$0-may-build" ]; do /bin/sleep 0.02; done`);
  const WAITS = /Another run \(pid \d+\) is building the control plane; waiting for it\./;
  const onStderr = (text: string) => {
    if (WAITS.test(text)) writeFileSync(join(path, 'go-may-build'), '');
  };
  const build = () => runBuild({ path, cache: 'twice', onStderr });
  const [one, two] = await Promise.all([build(), build()]);
  assert.deepEqual([one.code, two.code], [0, 0], one.stderr + two.stderr);
  const both = one.stderr + two.stderr;
  assert.equal(both.split(WAITS).length, 2, both);
  assert.ok(both.includes(`[7/${PROGRAMS.length}] kwok took`), both);
  const builds = (await readFile(join(path, 'builds'), 'utf8')).trim().split('\n');
  assert.equal(builds.length, PROGRAMS.length);

  const root = cacheRoot({ PODTRAIL_CACHE: join(directory, 'twice') });
  assert.deepEqual(await readdir(root), [cacheKey()], 'a lock or a partial folder was left behind');
  assert.match(await readFile(join(root, cacheKey(), 'stages', 'pod-fast.yaml'), 'utf8'), /one\n---\ntwo\n/);

  const third = await runBuild({ path: join(directory, 'nowhere'), cache: 'twice' });
  assert.equal(third.code, 0, third.stderr);
});

test('a failed build shows what Go said, without a stack trace, and leaves nothing behind', async () => {
  const path = await fakeGo('broken', '99.0.0', 'auto', 'echo "package x: no such thing" >&2; exit 3');
  const { code, stderr } = await runBuild({ path, cache: 'broken' });
  assert.equal(code, 1);
  assert.match(stderr, /ended with exit code 3:\npackage x: no such thing\n/);
  assert.doesNotMatch(stderr, /^\s+at /m);
  const left = await readdir(cacheRoot({ PODTRAIL_CACHE: join(directory, 'broken') }));
  assert.deepEqual(left, []);
});

test('with a given cluster nothing is built, so that such a run needs no Go', async () => {
  const { code, stderr } = await runBuild({ path: '', cache: 'given', given: '/some/kubeconfig' });
  assert.equal(code, 0);
  assert.match(stderr, /no control plane is built/);
});

test('the cache key depends on the platform', () => {
  assert.notEqual(cacheKey('linux-x64'), cacheKey('linux-arm64'));
});

async function runBuild(options: {
  path: string;
  cache: string;
  given?: string;
  /** All that was said so far, each time that something is added. */
  onStderr?: (text: string) => void;
}): Promise<{ code: number; stderr: string }> {
  const env = { PATH: options.path, HOME: directory, PODTRAIL_CACHE: join(directory, options.cache) };
  const given = options.given === undefined ? {} : { PODTRAIL_E2E_KUBECONFIG: options.given };
  const child = spawn(process.execPath, [join(import.meta.dirname, 'build.ts')], { env: { ...env, ...given } });
  let stderr = '';
  child.stderr.on('data', (text) => {
    stderr += text;
    options.onStderr?.(stderr);
  });
  const [code] = await once(child, 'close');
  return { code, stderr };
}

/** A `go` that tells its version and builds empty programs, doing `build` before each. */
async function fakeGo(name: string, version: string, toolchain: string, build = ''): Promise<string> {
  const path = join(directory, `go-${name}`);
  const stages = join(path, 'module', 'kustomize', 'stage');
  for (const stage of [
    'node/fast',
    'node/heartbeat-with-lease',
    'node/chaos',
    'pod/fast',
    'pod/general',
    'pod/chaos',
  ]) {
    await mkdir(join(stages, stage), { recursive: true });
    await writeFile(join(stages, stage, 'a.yaml'), 'one\n');
    await writeFile(join(stages, stage, 'b.yaml'), 'two\n');
    await writeFile(join(stages, stage, 'kustomization.yaml'), 'not a stage\n');
  }
  const script = `#!/bin/sh
case "$1" in
  version) echo "go version go${version} linux/amd64" ;;
  env) echo "${toolchain}" ;;
  list) echo "${path}/module" ;;
  build) ${build}
    while [ "$1" != "-o" ]; do shift; done
    echo x > "$2"; echo "$2" >> "${path}/builds" ;;
esac
`;
  await writeFile(join(path, 'go'), script);
  await chmod(join(path, 'go'), 0o755);
  return path;
}
