// A ledger over HTTP on this machine, for a browser and for scripts: `podtrail serve`, and `podtrail demo`. Only reads.
// Closing it waits for the requests that are under way.

import type { Engine } from '@podtrail/history';
import { jsonLine } from '@podtrail/operator/json-line';
import {
  type AccessLogEntry,
  AskedLedger,
  checkLoopback,
  type DroppedConnection,
  HttpServer,
  LoopbackAccess,
  pageRoutes,
  probeRoutes,
  RateLimit,
} from '@podtrail/operator/serving';
import type { CommandEnv } from '../command-env.ts';
import { describeError } from '../errors.ts';
import { apiOver } from './api-over.ts';
import { pageSource } from './page-source.ts';

export interface LoopbackServerOptions {
  readonly port: number;
  readonly bind: string;
  /** For scripts; undefined: a new one. */
  readonly token?: string | undefined;
  /** Requests a second; 0: any number. */
  readonly rateLimit: number;
  readonly hasAccessLog: boolean;
}

export interface LoopbackServer {
  /** With a token that works once, in one browser. */
  readonly url: string;
  /** The token for scripts. */
  readonly bearer: string;
  close(): Promise<void>;
}

export async function serveOnLoopback(
  engine: Engine,
  options: LoopbackServerOptions,
  commandEnv: CommandEnv,
): Promise<LoopbackServer> {
  const { bind: host, port, token, rateLimit: perSecond } = options;
  const { clock, stderr } = commandEnv;
  checkLoopback(host);
  const access = new LoopbackAccess({ token });
  const ledger = new AskedLedger(engine, clock);
  const server = await HttpServer.start({
    ...{ host, port, access, clock, admit: access.admit },
    routes: [
      ...pageRoutes(pageSource(), (request) => access.exchange(request)),
      ...probeRoutes(ledger),
      ...apiOver(ledger, { engine, commandEnv }),
    ],
    rateLimit:
      perSecond === 0 ? undefined : new RateLimit({ perSecond, burst: 2 * perSecond, now: () => clock.monotonic() }),
    // Bugs of ours always: the answer says that the log has the cause.
    log: (entry) => {
      if (options.hasAccessLog || entry.error !== undefined) void stderr.write(logLine(entry, clock.now()));
    },
    onDropped: (dropped) => {
      if (options.hasAccessLog) void stderr.write(droppedLine(dropped, clock.now()));
    },
  });
  return { url: access.urlOn(server), bearer: access.bearer, close: () => server.close() };
}

function logLine({ error, ...entry }: AccessLogEntry, now: number): string {
  const problem = error === undefined ? {} : { problem: describeError(error, false) };
  const level = entry.status === 500 ? 'error' : 'info';
  return jsonLine({ time: new Date(now).toISOString(), level, msg: 'request', ...entry, ...problem });
}

function droppedLine(dropped: DroppedConnection, now: number): string {
  return jsonLine({ time: new Date(now).toISOString(), level: 'info', msg: 'connection dropped', ...dropped });
}
