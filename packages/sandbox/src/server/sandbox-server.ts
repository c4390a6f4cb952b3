// Starts the API server on a port: HTTPS by default, because clients send tokens only there. Everything it holds is
// in memory; closing it leaves nothing behind.
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { ApiServer, type ApiServerOptions } from '../api/api-server.ts';
import { AccessControl, type AccessOptions } from './access-control.ts';
import type { FaultSeam } from './fault-seam.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { RequestHandler } from './request-handler.ts';
import { systemTimers, type Timers } from './timers.ts';
import { createServingCertificate } from './tls/serving-certificate.ts';

export interface SandboxServerOptions {
  /** A server that is there already; else a new one is made with `server`. */
  readonly api?: ApiServer;
  readonly server?: Partial<ApiServerOptions>;
  readonly host?: string;
  /** 0: any free one. */
  readonly port?: number;
  /** Plain HTTP instead of HTTPS. */
  readonly insecure?: boolean;
  readonly access?: AccessOptions;
  readonly faults?: FaultSeam;
  /** For bookmarks and timeouts. */
  readonly timers?: Timers;
  /** Milliseconds between bookmarks; a minute, as on the real server. */
  readonly bookmarkMillis?: number;
  /** How long a watch lives that asks for no timeout. */
  readonly watchTimeoutMillis?: number;
  /** Events that may wait for a slow reader before its watch ends. */
  readonly mostWaitingEvents?: number;
}

export interface SandboxServer {
  readonly url: string;
  readonly port: number;
  /** PEM; empty without TLS. */
  readonly caCertificate: string;
  readonly api: ApiServer;
  readonly access: AccessControl;
  /** A kubeconfig (JSON, which is YAML) for a user that has a token, or for anybody. */
  kubeconfig(user?: string): string;
  /** Takes the place of the faults there were; for requests and watches that begin from now on. */
  setFaults(faults: FaultSeam): void;
  /** Restores an earlier version as from a backup of etcd: versions come again, and all connections break. */
  rewind(version: number): void;
  /** Breaks every connection that is open now. */
  cutConnections(): void;
  close(): Promise<void>;
}

const MINUTE = 60_000;
const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

export async function startSandboxServer(options: SandboxServerOptions = {}): Promise<SandboxServer> {
  const systemClock = { now: () => Date.now() };
  const clock = options.server?.clock ?? systemClock;
  const api = options.api ?? new ApiServer({ ...options.server, clock });
  const access = new AccessControl(options.access ?? {});
  let faults = options.faults ?? {};
  const handler = new RequestHandler({
    api,
    access,
    seam: () => faults,
    timers: options.timers ?? systemTimers,
    clock: { now: () => api.state.now() },
    // A simulated time that races or stands still is no clock; one that was handed in is.
    date: options.server?.clock === undefined ? undefined : () => clock.now(),
    bookmarkMillis: options.bookmarkMillis ?? MINUTE,
    watchTimeoutMillis: options.watchTimeoutMillis ?? 45 * MINUTE,
    mostWaitingEvents: options.mostWaitingEvents ?? 20_000,
  });
  const host = options.host ?? '127.0.0.1';
  const names = LOOPBACK.includes(host) ? LOOPBACK : [...LOOPBACK, host];
  const tls = options.insecure === true ? undefined : createServingCertificate(names, systemClock.now());
  const listener = handler.handle.bind(handler);
  const server: Server =
    tls === undefined
      ? createHttpServer(listener)
      : (createHttpsServer({ cert: tls.certificate, key: tls.key }, listener) as unknown as Server);
  server.keepAliveTimeout = 5 * MINUTE;
  server.requestTimeout = 0;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const url = `${tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const caCertificate = tls?.caCertificate ?? '';
  const cutConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url,
    port,
    caCertificate,
    api,
    access,
    kubeconfig: (user) => kubeconfigText({ url, caCertificate, user, token: access.tokenOf(user) }),
    setFaults(next) {
      faults = next;
    },
    rewind(version) {
      api.rewind(version);
      cutConnections();
    },
    cutConnections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        cutConnections();
      }),
  };
}
