// The aggregated API as a process of its own, so that a crash of it is seen: `STORE DIRECTORY`, where the directory has
// server.crt, server.key and front-proxy-ca.crt. Says its port in its first line. Started by the proof of requests.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore } from '@podtrail/history';
import { systemClock } from '@podtrail/machinery';
import { AskedLedger } from '@podtrail/operator/serving';
import { startHistoryPort } from '@podtrail/operator/serving/testing';

const [store = '', directory = ''] = process.argv.slice(2);
const read = (name: string) => readFile(join(directory, name), 'utf8');
const engine = await openStore(store, { access: 'read' });
const [cluster] = await engine.clusters();
if (cluster === undefined) throw new Error(`${store} holds no cluster`);
const server = await startHistoryPort({
  ...{ cluster, clock: systemClock, ledger: new AskedLedger(engine, systemClock), frontProxy: 'front-proxy-client' },
  ...{ certificate: await read('server.crt'), key: await read('server.key') },
  clientCa: await read('front-proxy-ca.crt'),
  log: ({ error }) => {
    if (error !== undefined) process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  },
});
process.stdout.write(`https://127.0.0.1:${server.port}/\n`);
