// TLS of the history port: renewal while it serves, trust that changes, no sessions that outlive it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { type TestContext, test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { issueCertificate } from '../../certificates/certificate.ts';
import { jsonReply } from '../http/reply.ts';
import { startedServer } from '../testing/started-server.ts';
import { ServingTls } from './serving-tls.ts';

const SOON = { timeout: 60_000 };
const issued = (commonName: string, usage: 'server' | 'client' = 'server') =>
  issueCertificate({ commonName, names: ['localhost'], now: Date.now(), validMs: 3_600_000, usage });

async function served(t: TestContext) {
  const first = issued('first');
  const tls = new ServingTls(first);
  const { server } = await startedServer(
    t,
    [{ method: 'GET', path: '/who', handle: async ({ caller }) => jsonReply(caller.name) }],
    {
      tls: tls.options,
      access: {
        identify: async ({ socket }) => ({ name: (socket as TLSSocket).authorized ? 'proxy' : 'nobody', groups: [] }),
        visibility: async () => ({ kind: 'all' }),
      },
    },
  );
  tls.serve(server);
  const proxy = issued('front-proxy', 'client');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  /** Who it is taken for, and the subject of the certificate that was shown. */
  const ask = (over: Agent | false = agent) =>
    new Promise<{ readonly name: string; readonly shown: string; readonly socket: TLSSocket }>((resolve, reject) => {
      const { port } = server;
      const identity = { cert: proxy.certificate, key: proxy.key, rejectUnauthorized: false };
      const asked = request({ host: '127.0.0.1', port, path: '/who', agent: over, ...identity }, async (response) => {
        const socket = response.socket as TLSSocket;
        const shown = String(socket.getPeerCertificate().subject.CN);
        resolve({ name: JSON.parse((await response.toArray()).join('')), shown, socket });
      });
      asked.on('error', reject).end();
    });
  return { tls, ask, proxy, port: server.port };
}

test('a renewed certificate is shown to connections from then on; those that stand go on', SOON, async (t) => {
  const { tls, ask } = await served(t);
  const before = await ask();
  assert.equal(before.shown, 'first');
  tls.use(issued('second'));
  const same = await ask();
  assert.equal(same.socket, before.socket);
  assert.equal((await ask(false)).shown, 'second');
});

test(
  'another authority of front proxies ends every connection; whoever comes again is judged by it',
  SOON,
  async (t) => {
    const { tls, ask, proxy } = await served(t);
    const stranger = await ask();
    assert.equal(stranger.name, 'nobody', 'nobody is trusted at first');
    const closed = once(stranger.socket, 'close');
    tls.trust(proxy.certificate);
    await closed;
    const trusted = await ask();
    assert.deepEqual([trusted.name, trusted.socket === stranger.socket], ['proxy', false]);
    tls.trust(proxy.certificate);
    assert.equal((await ask()).socket, trusted.socket, 'the same authority again changes nothing');
    tls.use(issued('second'));
    assert.equal((await ask(false)).name, 'proxy', 'a renewal keeps the authority');
    const closedAgain = once(trusted.socket, 'close');
    tls.trust(undefined);
    await closedAgain;
    assert.equal((await ask()).name, 'nobody');
  },
);

test('sessions are not resumed, so that none outlives the trust that it began with', SOON, async (t) => {
  const { port } = await served(t);
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const session = await new Promise<Buffer | undefined>((resolve, reject) => {
      const options = { host: '127.0.0.1', port, rejectUnauthorized: false, minVersion: version, maxVersion: version };
      let ticket: Buffer | undefined;
      const socket = connect(options, () => {
        socket.write('GET /who HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      });
      socket.on('session', (given) => (ticket = given));
      socket.on('error', reject).on('close', () => resolve(ticket ?? socket.getSession()));
      socket.resume();
    });
    const again = connect({
      ...{ host: '127.0.0.1', port, rejectUnauthorized: false, minVersion: version, maxVersion: version },
      ...(session === undefined ? {} : { session }),
    });
    t.after(() => again.destroy());
    await once(again, 'secureConnect');
    assert.equal(again.isSessionReused(), false, version);
  }
});
