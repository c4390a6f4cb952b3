// Answers ConversionReviews over HTTPS, and nothing else. Keeps nothing; the certificate may be changed while it runs.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { listen } from '../serving/listen.ts';
import type { ServingCertificate } from './certificate.ts';
import { answerReview } from './conversion-review.ts';

export const CONVERT_PATH = '/convert';
/** A review holds a page of trackers, each at most some tens of kilobytes. */
const BODY_LIMIT = 64 * 1024 * 1024;
const REQUEST_MS = 30_000;

export class ConversionServer {
  readonly #server: Server;
  readonly #address: { readonly host: string; readonly port: number };

  constructor(address: { readonly host: string; readonly port: number }, certificate: ServingCertificate) {
    this.#address = address;
    const options = { ...tlsOf(certificate), requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS };
    this.#server = createServer(options, (request, response) => {
      answer(request, response).catch(() => response.destroy());
    });
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
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

function tlsOf({ certificate, key }: ServingCertificate) {
  return { cert: certificate, key, minVersion: 'TLSv1.2' } as const;
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path] = (request.url ?? '').split('?');
  if (path !== CONVERT_PATH) return refuse(response, 404, `there is nothing here but ${CONVERT_PATH}`);
  if (request.method !== 'POST') return refuse(response, 405, 'a ConversionReview is to be posted');
  const body = await read(request);
  if (body === undefined) return refuse(response, 413, 'the review is too large');
  const review = answerReview(parse(body));
  if (review === undefined) return refuse(response, 400, 'the body is no ConversionReview');
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(review));
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${message}\n`);
}

async function read(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_LIMIT) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
