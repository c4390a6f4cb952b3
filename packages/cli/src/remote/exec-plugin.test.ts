// Credentials that an exec plugin of the kubeconfig gives: a script, run as kubectl runs it. The server of the kubeconfig
// gets them, asked through its API and by --server; another server does not.
import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { Client, loadClusterConfig } from '@podtrail/machinery';
import { selfSignedCertificate } from '@podtrail/machinery/testing';
import { type Ran, run } from '../testing/run-in-process.ts';

const SOON = { timeout: 60_000 };
const RAN = { exitCode: 4, out: 'out\n', err: 'err\n' };
const WHO = ['who', '10.0.0.7', '--at', '1h'];
const { cert, key } = selfSignedCertificate('localhost');

interface Asked {
  readonly path: string;
  readonly authorization: string | undefined;
}

/** Answers as the Kubernetes API with podtrail behind it, and as a server of podtrail. */
async function aServer(t: TestContext): Promise<{ readonly origin: string; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer({ cert, key }, async (request, response) => {
    for await (const _ of request);
    const { url: path = '', headers } = request;
    asked.push({ path, authorization: headers.authorization });
    const isOurs = headers.authorization === 'Bearer from-the-plugin';
    const body = isOurs ? (path.startsWith('/apis/') ? { status: RAN } : RAN) : { message: 'Unauthorized' };
    response.writeHead(isOurs ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  t.after(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { origin: `https://localhost:${(server.address() as AddressInfo).port}`, asked };
}

interface Plugged {
  ask(...words: string[]): Promise<Ran>;
  /** How often the plugin ran. */
  runs(): Promise<number>;
}

async function pluggedIn(t: TestContext, server: string, script: string): Promise<Plugged> {
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-exec-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const [plugin, log, kubeconfig, ca] = ['login', 'runs', 'config', 'ca.pem'].map((name) => join(directory, name)) as [
    ...[string, string, string, string],
  ];
  await writeFile(log, '');
  await writeFile(plugin, `#!/bin/sh\necho "$KUBERNETES_EXEC_INFO" >> ${log}\n${script}\n`);
  await chmod(plugin, 0o700);
  await writeFile(ca, cert);
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: plugin, interactiveMode: 'Never' };
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'prod' },
    clusters: [{ name: 'prod', cluster: { server, 'certificate-authority': ca } }],
    users: [{ name: 'jane', user: { exec } }],
    contexts: [{ name: 'prod', context: { cluster: 'prod', user: 'jane', namespace: 'shop' } }],
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  return {
    ask: (...words) =>
      run(words, {
        env: { PODTRAIL_SERVER_CA: ca },
        loadConfig: (options) => loadClusterConfig({ ...options, kubeconfig }),
        connect: (connected) => Client.connect(connected, { userAgent: 'test' }),
        files: { [ca]: cert },
      }),
    runs: async () => (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '').length,
  };
}

const CREDENTIAL = {
  ...{ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential' },
  status: { token: 'from-the-plugin' },
};
const GIVES = `echo '${JSON.stringify(CREDENTIAL)}'`;

test('through the Kubernetes API a command asks with what the plugin gives', SOON, async (t) => {
  const { origin, asked } = await aServer(t);
  const jane = await pluggedIn(t, origin, GIVES);
  const ran = await jane.ask(...WHO);
  assert.deepEqual([ran.code, ran.out], [4, 'out\n'], ran.err);
  assert.deepEqual(asked, [
    { path: '/apis/history.podtrail.dev/v1/commands', authorization: 'Bearer from-the-plugin' },
  ]);
  assert.equal(await jane.runs(), 1);
});

test("--server at the kubeconfig's own address gets what the plugin gives", SOON, async (t) => {
  const { origin, asked } = await aServer(t);
  const jane = await pluggedIn(t, origin, GIVES);
  const ran = await jane.ask(...WHO, '--server', origin);
  assert.deepEqual([ran.code, ran.out], [4, 'out\n'], ran.err);
  assert.deepEqual(asked, [{ path: '/api/v1/commands', authorization: 'Bearer from-the-plugin' }]);
});

test('another server gets it only with --send-kubeconfig-token', SOON, async (t) => {
  const own = await aServer(t);
  const other = await aServer(t);
  const jane = await pluggedIn(t, own.origin, GIVES);
  const kept = await jane.ask(...WHO, '--server', other.origin);
  assert.equal(kept.code, 6, kept.err);
  assert.deepEqual(other.asked, [{ path: '/api/v1/commands', authorization: undefined }]);
  const sent = await jane.ask(...WHO, '--server', other.origin, '--send-kubeconfig-token');
  assert.deepEqual([sent.code, sent.out], [4, 'out\n'], sent.err);
});

test('a plugin that fails is named, and nothing is asked without it', SOON, async (t) => {
  const { origin, asked } = await aServer(t);
  const jane = await pluggedIn(t, origin, 'echo "log in first" >&2; exit 3');
  for (const more of [[], ['--server', origin]]) {
    const ran = await jane.ask(...WHO, ...more);
    assert.notEqual(ran.code, 0);
    assert.equal(ran.out, '');
    assert.match(ran.err, /login/);
  }
  assert.deepEqual(asked, []);
});
