// The tarballs that would be published, installed where nothing else is: what README promises of the command and of the
// library holds there too. `npm run packed`; .ci/run has it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { execute, InstalledPackages, NODE_TYPES, typeCheck } from './installed-packages.ts';

const GOLDEN = join(import.meta.dirname, '..', '..', 'packages', 'history', 'src');
/** Only against hanging. */
const PATIENCE_MS = 120_000;

let installed: InstalledPackages;
before(async () => {
  installed = await InstalledPackages.install();
});
after(() => installed?.remove());

async function until<T>(what: string, ask: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await ask();
    if (found !== undefined) return found;
    assert.ok(performance.now() < deadline, `in vain: ${what}`);
    await sleep(50);
  }
}

/** A small sandbox of the installed command, and its kubeconfig. */
async function sandbox(t: TestContext): Promise<string> {
  const kubeconfig = installed.path(`${t.name.replaceAll(/\W/g, '-')}.kubeconfig`);
  const size = ['--nodes', '2', '--pods', '6', '--speed', '0', '--seed', '7'];
  const process = installed.start('podtrail', ['sandbox', '--kubeconfig-out', kubeconfig, ...size]);
  let said = '';
  process.stderr.on('data', (text) => (said += text));
  t.after(async () => {
    if (process.exitCode === null && process.kill('SIGTERM')) await once(process, 'exit');
  });
  await until('the sandbox has its pods', () => {
    assert.equal(process.exitCode, null, said);
    return existsSync(kubeconfig) || undefined;
  });
  return kubeconfig;
}

/** The newest golden store as files, and one question of which the answer is known. */
function goldenStore() {
  const [packed] = globSync('**/golden/*/store.db.gz', { cwd: GOLDEN }).sort().slice(-1);
  assert.ok(packed !== undefined, 'there is a golden store');
  const folder = dirname(join(GOLDEN, packed));
  const path = installed.path('golden.db');
  mkdirSync(`${path}.d`, { recursive: true });
  for (const file of globSync('*.db.gz', { cwd: folder })) {
    const name = basename(file, '.gz');
    writeFileSync(name === 'store.db' ? path : join(`${path}.d`, name), gunzipSync(readFileSync(join(folder, file))));
  }
  const lines = gunzipSync(readFileSync(join(folder, 'export.jsonl.gz')))
    .toString('utf8')
    .split('\n');
  const tenures = lines.filter((line) => line.includes('"kind":"tenure"')).map((line) => JSON.parse(line).tenure);
  // The first: some of its times are later than now.
  const [tenure] = tenures.sort((a, b) => a.start.at - b.start.at);
  return { url: `sqlite:${path}`, ip: tenure.ip, at: tenure.start.notAfter + 1, holder: tenure.holder };
}

test('a tarball holds JavaScript, types and maps, no sources, no tests, and nothing that runs at installation', async () => {
  assert.equal(installed.tarballs.length, 5);
  for (const name of [
    'podtrail',
    '@podtrail/history',
    '@podtrail/machinery',
    '@podtrail/operator',
    '@podtrail/sandbox',
  ]) {
    const folder = installed.path('node_modules', name);
    const files = globSync('**/*', { cwd: folder, exclude: (path) => path === 'node_modules' });
    assert.deepEqual(
      files.filter((file) => /(?<!\.d)\.ts$|\.test\./.test(file)),
      [],
      name,
    );
    assert.ok(files.includes('README.md') && files.includes('LICENSE'), name);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    assert.equal(manifest.scripts, undefined);
    assert.deepEqual(manifest.publishConfig, { access: 'public', provenance: true });
    for (const target of Object.values(manifest.exports ?? {})) {
      const paths = typeof target === 'string' ? [target] : Object.values(target as Record<string, string>);
      for (const path of paths) assert.ok(existsSync(join(folder, path)), `${name}: ${path}`);
    }
  }
});

test('podtrail version and kubectl-podtrail version run as npm has linked them', async () => {
  const { version } = JSON.parse(readFileSync(installed.path('node_modules', 'podtrail', 'package.json'), 'utf8'));
  for (const command of ['podtrail', 'kubectl-podtrail']) {
    const { code, out, err } = await installed.run(command, ['version', '-o', 'json']);
    assert.deepEqual([code, err], [0, '']);
    const versions = JSON.parse(out);
    assert.equal(versions.podtrail, version);
    assert.ok(Number.parseInt(versions.node, 10) >= 24, out);
  }
});

test('a command loads its own part of the bundle: version neither the stores nor what talks to a cluster', async () => {
  const hook = installed.path('count-bytes.mjs');
  writeFileSync(
    hook,
    `import { statSync } from 'node:fs';
import { registerHooks } from 'node:module';
let bytes = 0;
registerHooks({
  load(url, context, next) {
    if (url.startsWith('file:')) bytes += statSync(new URL(url)).size;
    return next(url, context);
  },
});
process.on('exit', () => console.error(bytes));
`,
  );
  const program = installed.path('node_modules', 'podtrail', 'podtrail.mjs');
  const { err } = await execute(process.execPath, ['--import', hook, program, 'version'], installed.directory);
  // Of 4 MB; the parser of flags is half of it.
  assert.ok(Number(err) > 0 && Number(err) < 300_000, `${err.trim()} bytes`);
});

test('on a Node that is too old, the Node that comes with the package takes over, with its exit code', async () => {
  const old = installed.path('old-node.mjs');
  writeFileSync(
    old,
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0', sqlite: undefined } });",
  );
  const program = installed.path('node_modules', 'podtrail', 'podtrail.mjs');
  const run = (...words: string[]) =>
    execute(process.execPath, ['--import', old, program, ...words], installed.directory);
  const { code, out } = await run('version', '-o', 'json');
  assert.equal(code, 0);
  const [brought] = globSync('node_modules/node-*/package.json', { cwd: installed.directory });
  assert.equal(JSON.parse(out).node, JSON.parse(readFileSync(installed.path(brought!), 'utf8')).version);
  assert.equal((await run('who')).code, 2, 'a question without an address');
});

test('who answers from a golden store', async () => {
  const { url, ip, at, holder } = goldenStore();
  const { code, out, err } = await installed.run('podtrail', [
    'who',
    ip,
    '--at',
    String(at),
    '--store',
    url,
    '-o',
    'name',
  ]);
  assert.deepEqual([code, out], [0, `pod/${holder.namespace}/${holder.name}\n`], err);
});

test('serve shows the page that lies in the tarball, and its assets, without esbuild', async (t) => {
  const { url } = goldenStore();
  const server = installed.start('podtrail', ['serve', '--port', '0', '--store', url]);
  let said = '';
  let printed = '';
  server.stderr.on('data', (text) => (said += text));
  server.stdout.on('data', (text) => (printed += text));
  t.after(() => void server.kill('SIGKILL'));
  const { origin } = await until('the URL is printed', () => {
    assert.equal(server.exitCode, null, said);
    return printed.includes('\n') ? new URL(printed.trim()) : undefined;
  });
  const page = await fetch(`${origin}/trail`);
  assert.equal(page.status, 200);
  const assets = [...(await page.text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = '']) => path);
  assert.equal(assets.length, 3);
  for (const path of assets) assert.equal((await fetch(`${origin}${path}`)).status, 200, path);
  assert.ok(!existsSync(installed.path('node_modules', 'esbuild')));
  const notices = readFileSync(installed.path('node_modules', 'podtrail', 'THIRD-PARTY-NOTICES.md'), 'utf8');
  assert.match(notices, /^## preact \d/m, 'what is in the page is named, too');
  server.kill('SIGTERM');
  assert.deepEqual(await once(server, 'exit'), [0, null], said);
});

test('the demo records, shows what to ask, and ends by itself', async () => {
  const demo = (duration: number) =>
    installed.run('podtrail', ['demo', '--duration', `${duration}s`, '--nodes', '3', '--pods', '30']);
  let duration = 5;
  let ran = await demo(duration);
  // On a slow machine the day of history alone takes so long.
  while (ran.code === 0 && !ran.out.includes('podtrail who') && duration < 80) ran = await demo((duration *= 4));
  assert.equal(ran.code, 0, ran.err);
  assert.match(ran.out, /^ {5}podtrail who \d/m);
  assert.doesNotMatch(ran.out + ran.err, /ended by itself/, 'the recorder is a process of its own');
});

test('record and who work on the sandbox, both from the tarball', async (t) => {
  const kubeconfig = await sandbox(t);
  const store = `sqlite:${installed.path('recorded.db')}`;
  const recorder = installed.start('podtrail', ['record', '--kubeconfig', kubeconfig, '--store', store]);
  let said = '';
  recorder.stderr.on('data', (text) => (said += text));
  t.after(() => void recorder.kill('SIGKILL'));
  const answer = await until('the first pod is in the ledger', async () => {
    assert.equal(recorder.exitCode, null, said);
    const { code, out } = await installed.run('podtrail', ['who', '10.244.0.2', '--store', store, '-o', 'json']);
    return code === 0 ? JSON.parse(out) : undefined;
  });
  assert.equal(answer.answer, 'held');
  recorder.kill('SIGTERM');
  assert.deepEqual(await once(recorder, 'exit'), [0, null], said);
});

test('the operator starts its conversion process from the tarball', async (t) => {
  const kubeconfig = await sandbox(t);
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  listener.close();
  await once(listener, 'close');
  const operator = installed.start('podtrail', [
    ...['operator', '--kubeconfig', kubeconfig, '--namespace', 'default', '--metrics-port', '0', '--health-port', '0'],
    ...['--store', `sqlite:${installed.path('operator.db')}`],
    ...['--conversion-url', 'https://127.0.0.1', '--conversion-port', String(port)],
  ]);
  let said = '';
  operator.stderr.on('data', (text) => (said += text));
  t.after(() => void operator.kill('SIGKILL'));
  const status = await until('the conversion process answers', async () => {
    assert.equal(operator.exitCode, null, said);
    return await statusOf(port);
  });
  assert.ok(status >= 400, `a request without an object is refused: ${status}`);
  operator.kill('SIGTERM');
  assert.deepEqual(await once(operator, 'exit'), [0, null], said);
});

function statusOf(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    request.on('error', () => resolve(undefined));
  });
}

test('a ten-line program against @podtrail/machinery is type-checked there, and lists the pods', async (t) => {
  copyFileSync(join(import.meta.dirname, 'list-pods.ts'), installed.path('list-pods.ts'));
  const options = { noEmit: true, strict: true, target: 'esnext', module: 'nodenext', types: ['node'] };
  const config = { compilerOptions: { ...options, typeRoots: [NODE_TYPES] }, files: ['list-pods.ts'] };
  writeFileSync(installed.path('tsconfig.json'), JSON.stringify(config));
  const checked = await typeCheck(installed, 'tsconfig.json');
  assert.deepEqual(checked, { code: 0, out: '', err: '' });

  writeFileSync(
    installed.path('wrong.ts'),
    "import { PODS } from '@podtrail/machinery';\nexport const n: number = PODS;\n",
  );
  writeFileSync(installed.path('wrong.json'), JSON.stringify({ ...config, files: ['wrong.ts'] }));
  assert.match((await typeCheck(installed, 'wrong.json')).out, /wrong\.ts\(2,14\): error TS2322/, 'types are there');

  const env = { KUBECONFIG: await sandbox(t) };
  const { code, out, err } = await execute(process.execPath, ['list-pods.ts'], installed.directory, env);
  assert.equal(code, 0, err);
  assert.match(out, /^cart-\S+ 10\.244\.\d+\.\d+/m);
});
