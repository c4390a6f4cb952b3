// The official JavaScript client as an oracle: each kubeconfig of the table is loaded by both, and everything that a
// connection depends on must be equal. A known difference of the official client is held to, so that we notice if it goes.
import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { KubeConfig } from '@kubernetes/client-node';
import { stringify } from 'yaml';
import { systemClock } from '../clock.ts';
import { ConfigError } from '../errors.ts';
import { systemFiles } from './config-env.ts';
import type { ClusterConfig } from './identity.ts';
import { loadClusterConfig } from './load-cluster-config.ts';
import {
  base64,
  ca,
  me,
  pluginScript,
  KUBECONFIG_ROWS as rows,
  V1,
  V1BETA1,
  type View,
} from './testing/real-shaped-kubeconfigs.ts';

let root = '';
const realEnvironment = { ...process.env };

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'official-client-'));
  const echoing = pluginScript(V1BETA1, '"token":"$PROFILE:$ARGS"');
  for (const name of ['aws', 'gke-gcloud-auth-plugin', 'kubelogin', 'doctl'])
    await write(join(root, 'bin', name), echoing);
  const pair = `"clientCertificateData":${JSON.stringify(me.cert)},"clientKeyData":${JSON.stringify(me.key)}`;
  await write(join(root, 'bin', 'tsh'), pluginScript(V1, pair.replaceAll('\\n', '\\\\n')));
});

after(async () => {
  process.env = realEnvironment;
  await rm(root, { recursive: true });
});

async function write(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  await chmod(path, 0o755);
}

async function viewOfOfficial(context: string | undefined): Promise<View> {
  const config = new KubeConfig();
  // True: the first file's current-context stays, as in kubectl; the default of the official client is the last one's.
  config.loadFromDefault(undefined, true);
  if (context !== undefined) config.setCurrentContext(context);
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  const headers = (options.headers ?? {}) as Record<string, string>;
  const text = (value: unknown) => (value === undefined ? undefined : String(value));
  return {
    server: config.getCurrentCluster()?.server,
    ca: text(options.ca),
    cert: text(options.cert),
    key: text(options.key),
    authorization: options.auth ? `Basic ${base64(options.auth)}` : headers['Authorization'],
    namespace: config.getContextObject(config.getCurrentContext())?.namespace ?? 'default',
    serverName: options.servername,
    skipVerify: options.rejectUnauthorized === false,
    proxy: config.getCurrentCluster()?.proxyUrl,
    as: headers['Impersonate-User'],
  };
}

async function viewOf(config: ClusterConfig): Promise<View> {
  const { authorization, tls } = await config.identity.current();
  return {
    server: config.server,
    ca: tls.ca,
    cert: tls.cert,
    key: tls.key,
    authorization,
    namespace: config.namespace,
    serverName: tls.serverName,
    skipVerify: tls.insecureSkipVerify,
    proxy: config.proxyUrl,
    as: config.impersonate?.user,
  };
}

test('the table has at least 25 kubeconfigs that need no exception', () => {
  const plain = Object.values(rows).filter((r) => !r.officialDiffers && !r.officialFails && !r.weFail);
  assert.ok(plain.length >= 25, `${plain.length} of ${Object.keys(rows).length}`);
});

for (const [name, row] of Object.entries(rows)) {
  test(`${name}: seen as the official client sees it`, async (t) => {
    const directory = await mkdtemp(join(root, 'case-'));
    t.after(() => rm(directory, { recursive: true }));
    for (const [path, content] of Object.entries(row.files)) {
      const text = typeof content === 'string' ? content : stringify(content);
      await write(join(directory, path), text.replaceAll('ROOT', directory));
    }
    const list = (row.list ?? ['config']).map((path) => (path === '' ? '' : join(directory, path)));
    process.env = {
      PATH: `${join(root, 'bin')}${delimiter}${realEnvironment['PATH']}`,
      HOME: directory,
      KUBECONFIG: list.join(delimiter),
    };

    const ours = loadClusterConfig({
      context: row.context,
      configEnv: { env: { ...process.env }, files: systemFiles, clock: systemClock, stdinIsTerminal: false },
    });
    if (row.weFail !== undefined) {
      await assert.rejects(ours, (e: unknown) => e instanceof ConfigError && e.code === row.weFail?.code);
      await viewOfOfficial(row.context);
      return;
    }
    const view = await viewOf(await ours);
    for (const [field, value] of Object.entries(row.expect ?? {}))
      assert.equal(view[field as keyof View], value, field);
    if (row.officialFails !== undefined) {
      await assert.rejects(viewOfOfficial(row.context), row.officialFails.message);
      return;
    }
    assert.deepEqual({ ...view, ...row.officialDiffers?.fields }, await viewOfOfficial(row.context));
  });
}

test('in a pod, with IPv4 and IPv6 service addresses: seen as the official client sees it', async (t) => {
  const directory = await mkdtemp(join(root, 'pod-'));
  t.after(() => rm(directory, { recursive: true }));
  const account = join(directory, 'var/run/secrets/kubernetes.io/serviceaccount');
  await write(join(account, 'token'), 'pod-token');
  await write(join(account, 'ca.crt'), ca);
  await write(join(account, 'namespace'), 'trail');
  for (const [host, port] of [
    ['10.96.0.1', '6443'],
    ['fd00:10:96::1', '6443'],
  ] as const) {
    process.env = { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port };
    const official = new KubeConfig();
    official.loadFromCluster(directory);
    const options: RequestOptions = {};
    await official.applyToHTTPSOptions(options);
    const ours = await viewOf(
      await loadClusterConfig({
        configEnv: {
          env: { ...process.env },
          homeDirectory: directory,
          files: {
            read: (path) => systemFiles.read(path.startsWith('/var/run') ? join(directory, path) : path),
            stamp: (path) => systemFiles.stamp(path.startsWith('/var/run') ? join(directory, path) : path),
          },
        },
      }),
    );
    assert.equal(ours.server, official.getCurrentCluster()?.server);
    assert.equal(ours.namespace, official.getContextObject(official.getCurrentContext())?.namespace);
    assert.equal(ours.ca, String(options.ca));
    assert.equal(ours.authorization, (options.headers as Record<string, string>)['Authorization']);
  }
});
