// The registration against an API server in memory and a TLS server of its own, with certificates that live for seconds:
// what API servers would see of a renewal, of two replicas, and of a port that they cannot reach.
import assert from 'node:assert/strict';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, type GroupVersionResource, systemClock } from '@podtrail/machinery';
import { MemoryResourceClient } from '@podtrail/machinery/testing';
import { splitBundle } from '../../certificates/trust-bundle.ts';
import { Registration, type RegistrationOptions } from './registration.ts';
import { ServingTls } from './serving-tls.ts';

const NAME = 'v1.history.podtrail.dev';
const SERVICE = { namespace: 'podtrail', name: 'podtrail-history', port: 443 };

// biome-ignore lint/suspicious/noExplicitAny: the test reads what it knows to be there.
type Any = any;

/** An API server in memory, with the Service and nothing else. */
async function apiServer() {
  const collections = new Map<string, MemoryResourceClient<Any>>();
  const of = (resource: string) => {
    const known = collections.get(resource) ?? new MemoryResourceClient<Any>({ now: () => Date.now() });
    collections.set(resource, known);
    return known;
  };
  await of('services').create({ apiVersion: 'v1', kind: 'Service', metadata: { name: SERVICE.name }, spec: {} });
  const services = of('services');
  const list = services.list.bind(services);
  // The double knows no field selectors, and allocates no addresses.
  services.list = async ({ fieldSelector = '' } = {}) => {
    const found = await list();
    const items = found.items.filter(({ metadata }) => fieldSelector === `metadata.name=${metadata.name}`);
    return { ...found, items: items.map((item) => ({ ...item, spec: { ...item.spec, clusterIP: '10.96.0.9' } })) };
  };
  const client = { resource: ({ resource }: GroupVersionResource) => of(resource) } as unknown as Client;
  const apiService = async () =>
    await of('apiservices')
      .get(NAME)
      .catch(() => undefined);
  const bundle = async () => Buffer.from((await apiService())?.spec.caBundle ?? '', 'base64').toString('utf8');
  return { client, of, apiService, bundle };
}

/** A replica that answers 401 to everybody, and is registered until the test ends or it is ended. */
async function replica(
  t: TestContext,
  client: Client,
  identity: string,
  options: Partial<RegistrationOptions> = {},
): Promise<{ readonly port: number; readonly errors: unknown[]; jam(): void; end(): Promise<void> }> {
  const errors: unknown[] = [];
  const registration = new Registration({
    ...{ client, clock: systemClock, service: SERVICE, identity, checkMs: 100 },
    ...{ onRegistered: () => {}, onError: (error) => errors.push(error), ...options },
  });
  const tls = new ServingTls(registration.certificate);
  const server = createServer(tls.options, (_, response) => response.writeHead(401).end());
  tls.serve({
    useTls: (context) => server.setSecureContext({ ...tls.options, ...context }),
    closeConnections: () => server.closeAllConnections(),
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = new AbortController();
  const running = registration.run(tls, { host: '127.0.0.1', port }, stop.signal);
  const end = async () => {
    stop.abort();
    await running;
    server.closeAllConnections();
    server.close();
  };
  t.after(end);
  const jam = () => {
    server.closeAllConnections();
    server.close();
  };
  return { port, errors, jam, end };
}

/** As an API server does: a connection of its own, trusting the bundle. Resolves with the serial number it was shown. */
function shown(port: number, ca: string): Promise<string> {
  const servername = `${SERVICE.name}.${SERVICE.namespace}.svc`;
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, ca, servername, agent: false }, (response) => {
      const { serialNumber } = (response.socket as Any).getPeerCertificate();
      response.resume().on('end', () => resolve(serialNumber));
    });
    asked.on('error', reject).end();
  });
}

async function eventually<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  for (const end = Date.now() + 20_000; Date.now() < end; await delay(20)) {
    const found = await look();
    if (found) return found;
  }
  throw new Error(`not in time: ${what}`);
}

test('certificates are renewed while it serves, and whoever trusts the bundle of a moment ago never fails', async (t) => {
  const { client, bundle } = await apiServer();
  // Ahead by less than certificates are backdated, so that they are valid for TLS, which has a clock of its own.
  let aheadMs = 0;
  const clock = { ...systemClock, now: () => Date.now() + aheadMs };
  const { port, errors } = await replica(t, client, 'a', { clock, validMs: 90_000 });
  await eventually('it is registered', async () => (await bundle()) !== '');
  const serials = new Set<string>();
  let asked = 0;
  for (const wanted of [1, 2, 3]) {
    await eventually(`certificate ${wanted} is served`, async () => {
      const trusted = await bundle();
      assert.ok(splitBundle(trusted).length <= 2, 'the one that is served, and the one that comes');
      // API servers follow an APIService with a delay.
      await delay(50);
      serials.add(await shown(port, trusted));
      asked++;
      return serials.size === wanted;
    });
    aheadMs += 65_000;
  }
  assert.deepEqual(errors, [], `of ${asked} requests none failed`);
});

test('two replicas are trusted at once; one that ends takes its own certificate out, the last one the APIService', async (t) => {
  const { client, bundle, apiService } = await apiServer();
  const one = await replica(t, client, 'a');
  const two = await replica(t, client, 'b');
  const both = await eventually(
    'both are in',
    async () => splitBundle(await bundle()).length === 2 && (await bundle()),
  );
  await shown(one.port, both);
  await shown(two.port, both);
  await one.end();
  const left = await bundle();
  assert.equal(splitBundle(left).length, 1);
  await shown(two.port, left);
  await two.end();
  assert.equal(await apiService(), undefined);
});

test('what API servers cannot reach is taken back, and registered again after a rest', async (t) => {
  const { client, of, apiService } = await apiServer();
  const { errors } = await replica(t, client, 'a', { silentAfterMs: 300, firstRestMs: 500 });
  const first = await eventually('it is registered', apiService);
  const conditions = [{ type: 'Available', status: 'False', message: 'dial tcp: i/o timeout' }];
  await of('apiservices').update({ ...first, status: { conditions } });
  await eventually('it is taken back', async () => (await apiService()) === undefined);
  assert.match(String(errors.at(-1)), /API servers get no answer from the history API: dial tcp: i\/o timeout/);
  const again = await eventually('it is registered again', apiService);
  assert.notEqual(again.metadata.uid, first.metadata.uid);
});

test('a timer without pods owns the APIService through a Service and its address, and is put off while a replica lives', async (t) => {
  const { client, of, apiService } = await apiServer();
  await of('ipaddresses').create({ metadata: { name: '10.96.0.9' } });
  const problems: unknown[] = [];
  await replica(t, client, 'a', { onNoDeadline: (error) => problems.push(error) });
  const owned = await eventually('the address owns it', async () => {
    const found = await apiService();
    return found?.metadata.ownerReferences?.[0]?.kind === 'IPAddress' && found;
  });
  const address = await of('ipaddresses').get('10.96.0.9');
  assert.equal(owned.metadata.ownerReferences[0].uid, address.metadata.uid);
  const job = await of('jobs').get('podtrail-history-deadline');
  assert.deepEqual([job.spec.parallelism, job.spec.activeDeadlineSeconds], [0, 300]);
  const startTime = new Date(Date.now() - 200_000).toISOString();
  await of('jobs').update({ ...job, status: { startTime } });
  await eventually('it is put off', async () => {
    const { spec } = await of('jobs').get('podtrail-history-deadline');
    return spec.activeDeadlineSeconds >= 500 && spec.activeDeadlineSeconds < 520;
  });
});

test('a replica that does not answer itself removes what API servers cannot reach, and does not register it again', async (t) => {
  const { client, of, apiService } = await apiServer();
  const { errors, jam } = await replica(t, client, 'a', { silentAfterMs: 300, firstRestMs: 100 });
  const first = await eventually('it is registered', apiService);
  jam();
  const conditions = [{ type: 'Available', status: 'False', message: 'connection refused' }];
  await of('apiservices').update({ ...first, status: { conditions } });
  await eventually('it is removed', async () => (await apiService()) === undefined);
  assert.match(errors.map(String).join('\n'), /API servers get no answer from the history API: connection refused/);
  const seen = errors.length;
  await eventually('it has looked again after its rest', async () => errors.length > seen + 5);
  assert.equal(await apiService(), undefined);
});

test('a replica that could not be registered for longer than a certificate lives is registered with a new one', async (t) => {
  const { client, of, bundle } = await apiServer();
  const apiServices = of('apiservices');
  const get = apiServices.get.bind(apiServices);
  let isDown = true;
  apiServices.get = async (...asked) => (isDown ? Promise.reject(new Error('it is down')) : get(...asked));
  // Ahead of TLS, which has a clock of its own: only what is served shows that the old one is not used any more.
  let aheadMs = 0;
  const clock = { ...systemClock, now: () => Date.now() + aheadMs };
  const { port, errors } = await replica(t, client, 'a', { clock, validMs: 90_000 });
  await eventually('it has tried', async () => errors.length > 0);
  const ca = await served(port);
  for (let step = 0; step < 4; step++) {
    aheadMs += 40_000;
    const seen = errors.length;
    await eventually('it has looked', async () => errors.length > seen + 1);
  }
  isDown = false;
  const trusted = await eventually('it is registered', async () => (await bundle()) !== '' && (await bundle()));
  assert.notEqual(await served(port), ca);
  assert.equal(await shown(port, trusted), await served(port));
});

/** The serial number of what a port shows, whoever trusts it. */
function served(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, rejectUnauthorized: false, agent: false }, (response) => {
      const { serialNumber } = (response.socket as Any).getPeerCertificate();
      response.resume().on('end', () => resolve(serialNumber));
    });
    asked.on('error', reject).end();
  });
}
