// Answers ConversionReviews over HTTPS, and nothing else. Anybody in the cluster may reach it, so everything that a
// client can make it hold is bounded: connections, headers, bytes (one budget for all), time. Keeps nothing; the
// certificate may be changed while it runs. Lives in a process of its own: see conversion-process.ts.

import { constants } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ServingCertificate } from '../certificates/certificate.ts';
import { ConnectionLimit } from '../serving/connection-limit.ts';
import { listen } from '../serving/listen.ts';
import { ByteBudget, type HeldBody } from './byte-budget.ts';
import { closing, convertedObjects, failureOf, headOf, opening, type ReviewResult } from './conversion-review.ts';
import { ReviewFault, ReviewSplitter } from './review-splitter.ts';

export const CONVERT_PATH = '/convert';
/**
 * For all requests together. API servers convert the objects of a list one by one (1.36 does, measured), but may send
 * them as one review: 500 full trackers of v1 are 33 MB.
 */
const BUDGET_BYTES = 34 * 1024 * 1024;
const MOST_CONNECTIONS = 64;
const MOST_HEADER_BYTES = 8 * 1024;
/** An API server gives up after 30 s: a third of that for the request to arrive, the rest for the answer. */
const TIMES: ConversionTimes = { handshakeMs: 5_000, headersMs: 5_000, requestMs: 10_000, answerMs: 20_000 };
/** Longer than API servers keep a connection that they do not use (90 s): they hang up, and never meet a closed one. */
const KEEP_ALIVE_MS = 100_000;
/** How often Node looks for those that take too long. */
const CHECK_MS = 1_000;
const TRIM_MS = 10_000;
/** Sent at once from here on. */
const PIECE_CHARS = 64 * 1024;

export interface ConversionTimes {
  readonly handshakeMs: number;
  readonly headersMs: number;
  /** From its first byte to its last. */
  readonly requestMs: number;
  readonly answerMs: number;
}

export class ConversionServer {
  readonly #server: Server;
  readonly #limit: ConnectionLimit;
  readonly #budget = new ByteBudget(BUDGET_BYTES);
  readonly #times: ConversionTimes;
  readonly #trimming: NodeJS.Timeout;
  readonly #address: { readonly host: string; readonly port: number };

  constructor(
    address: { readonly host: string; readonly port: number },
    certificate: ServingCertificate,
    times: ConversionTimes = TIMES,
  ) {
    this.#address = address;
    this.#times = times;
    const options = {
      ...tlsOf(certificate),
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      handshakeTimeout: times.handshakeMs,
      headersTimeout: times.headersMs,
      requestTimeout: times.requestMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: Math.min(CHECK_MS, times.headersMs),
      maxHeaderSize: MOST_HEADER_BYTES,
    };
    this.#server = createServer(options, (request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
    this.#limit = new ConnectionLimit(this.#server, MOST_CONNECTIONS);
    this.#trimming = setInterval(() => this.#budget.trim(), TRIM_MS);
    this.#trimming.unref();
  }

  async listen(): Promise<number> {
    const { host, port } = this.#address;
    return (await listen(this.#server, host, port)).port;
  }

  /** For connections from now on. */
  use(certificate: ServingCertificate): void {
    this.#server.setSecureContext(tlsOf(certificate));
  }

  async close(): Promise<void> {
    clearInterval(this.#trimming);
    this.#limit.closeAll();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path] = (request.url ?? '').split('?');
    if (path !== CONVERT_PATH) return refuse(response, 404, `there is nothing here but ${CONVERT_PATH}`);
    if (request.method !== 'POST') return refuse(response, 405, 'a ConversionReview is to be posted');
    const { socket } = request;
    // Until the client has taken the answer, too: what it leaves in our buffers is memory.
    const { requestMs, answerMs } = this.#times;
    const late = setTimeout(() => socket.destroy(), requestMs + answerMs);
    response.once('close', () => clearTimeout(late));
    const body = this.#budget.open(() => socket.destroy());
    try {
      const splitter = new ReviewSplitter();
      for await (const chunk of request as AsyncIterable<Buffer>) {
        splitter.push(chunk);
        if (!body.append(chunk)) return refuse(response, 503, 'too much is being converted at once; ask again');
      }
      await convert(splitter, body, response, () => this.#limit.answering(socket));
    } catch (error) {
      if (!(error instanceof ReviewFault) || response.headersSent) throw error;
      refuse(response, error.status, error.message);
    } finally {
      body.close();
    }
  }
}

function tlsOf({ certificate, key }: ServingCertificate) {
  return { cert: certificate, key, minVersion: 'TLSv1.2' } as const;
}

/** Object by object, others in between, and no further than the client reads. `answering`: it is not waited for. */
async function convert(
  splitter: ReviewSplitter,
  body: HeldBody,
  response: ServerResponse,
  answering: () => () => void,
): Promise<void> {
  const review = splitter.end();
  const textOf = ({ start, end }: { readonly start: number; readonly end: number }) => body.text(start, end);
  const head = headOf(review, textOf);
  let text = opening(head);
  let result: ReviewResult = { status: 'Success' };
  let between = '';
  let waits = answering();
  try {
    for (const object of convertedObjects(review, head, textOf)) {
      text += between + object;
      between = ',';
      if (text.length >= PIECE_CHARS) {
        if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/json' });
        const isTaken = response.write(text);
        text = '';
        if (!isTaken) {
          waits();
          await drained(response);
          waits = answering();
        }
      }
      await nextTurn();
      if (!body.isOpen || response.destroyed) return;
    }
  } catch (error) {
    result = failureOf(error);
    // What has been sent cannot be taken back: API servers look at the result first.
    if (!response.headersSent) text = opening(head);
  } finally {
    waits();
  }
  text += closing(result);
  const length = response.headersSent ? {} : { 'content-length': Buffer.byteLength(text) };
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/json', ...length });
  response.end(text);
}

/** Or gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const more = status === 503 ? { 'retry-after': '1' } : {};
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close', ...more }).end(`${message}\n`);
}
