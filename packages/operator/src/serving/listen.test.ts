import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { listen } from './listen.ts';
import { startPlainServer, text } from './plain-server.ts';

/** A machine on which listening on these addresses fails. */
class Machine extends EventEmitter {
  readonly tried: string[] = [];
  readonly #failing: Readonly<Record<string, string>>;

  constructor(failing: Readonly<Record<string, string>>) {
    super();
    this.#failing = failing;
  }

  listen(_port: number, host: string, done: () => void): this {
    this.tried.push(host);
    const code = this.#failing[host];
    if (code === undefined) queueMicrotask(done);
    else queueMicrotask(() => this.emit('error', Object.assign(new Error(code), { code })));
    return this;
  }

  address(): unknown {
    return { address: this.tried.at(-1), port: 9090 };
  }

  static async listens(host: string, failing: Readonly<Record<string, string>>): Promise<readonly string[]> {
    const machine = new Machine(failing);
    await listen(machine as unknown as Server, host, 9090);
    assert.equal(machine.listenerCount('error'), 0);
    return machine.tried;
  }
}

test('on :: it listens on both families, and where the kernel has no IPv6 on every IPv4 address', async () => {
  assert.deepEqual(await Machine.listens('::', {}), ['::']);
  for (const code of ['EAFNOSUPPORT', 'EADDRNOTAVAIL']) {
    assert.deepEqual(await Machine.listens('::', { '::': code }), ['::', '0.0.0.0']);
  }
});

test('a port that is taken, and an address that was asked for by name, fail as they are', async () => {
  await assert.rejects(Machine.listens('::', { '::': 'EADDRINUSE' }), { code: 'EADDRINUSE' });
  await assert.rejects(Machine.listens('::1', { '::1': 'EADDRNOTAVAIL' }), { code: 'EADDRNOTAVAIL' });
  await assert.rejects(Machine.listens('::', { '::': 'EAFNOSUPPORT', '0.0.0.0': 'EACCES' }), { code: 'EACCES' });
});

test('a server on :: answers over IPv4, and over IPv6 where the machine has it', async (t) => {
  const server = await startPlainServer({ host: '::', port: 0, pages: { '/livez': () => text(200, 'ok') } });
  t.after(() => server.close());
  const has6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
  for (const host of ['127.0.0.1', ...(has6 ? ['[::1]'] : [])]) {
    assert.equal((await fetch(`http://${host}:${server.port}/livez`)).status, 200, host);
  }
});

test('a server that could not listen can be closed', async (t) => {
  const first = createServer();
  t.after(() => first.close());
  const { port } = await listen(first, '127.0.0.1', 0);
  await assert.rejects(listen(createServer(), '127.0.0.1', port), { code: 'EADDRINUSE' });
});
