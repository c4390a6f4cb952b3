// Many clients of one server in one process: each asks, waits for its answer and asks again, on one connection. Bare
// sockets, so that the clients cost little beside the server. Gets what to do as JSON in its argument, prints the result.
import { connect } from 'node:net';

export interface ClientsTask {
  readonly port: number;
  readonly token: string;
  readonly clients: number;
  readonly seconds: number;
  /** Asked one after the other, by all clients together. */
  readonly paths: readonly string[];
}

export interface ClientsResult {
  readonly answers: number;
  readonly perSecond: number;
  /** Answers that are not 200, and connections that were lost. */
  readonly errors: number;
  readonly ms: { readonly p50: number; readonly p99: number };
}

const SAMPLES = 100_000;

let text = '';
for await (const chunk of process.stdin) text += chunk;
const task = JSON.parse(text) as ClientsTask;
const lags: number[] = [];
let answers = 0;
let errors = 0;
let next = 0;
const begun = performance.now();
const over = begun + task.seconds * 1000;
await Promise.all(Array.from({ length: task.clients }, client));
const seconds = (performance.now() - begun) / 1000;
lags.sort((a, b) => a - b);
const quantile = (q: number) => lags[Math.min(lags.length - 1, Math.floor(lags.length * q))] ?? Number.NaN;
const result: ClientsResult = {
  ...{ answers, errors, perSecond: answers / seconds },
  ms: { p50: quantile(0.5), p99: quantile(0.99) },
};
process.stdout.write(JSON.stringify(result));

function client(): Promise<void> {
  const { port, token, paths } = task;
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    let rest: Buffer = Buffer.alloc(0);
    let asked = 0;
    const ask = () => {
      asked = performance.now();
      if (asked > over) {
        socket.destroy();
        resolve();
        return;
      }
      const path = paths[next++ % paths.length];
      socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`);
    };
    const lost = () => {
      if (performance.now() <= over) errors++;
      resolve();
    };
    socket.on('connect', ask).on('error', lost).on('end', lost);
    socket.on('data', (chunk: Buffer) => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const end = rest.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = rest.toString('latin1', 0, end);
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (rest.length < end + 4 + length) return;
      rest = rest.subarray(end + 4 + length);
      answers++;
      if (!head.startsWith('HTTP/1.1 200 ')) errors++;
      if (lags.length < SAMPLES) lags.push(performance.now() - asked);
      ask();
    });
  });
}
