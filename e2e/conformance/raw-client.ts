// The conformance suite's own HTTP: plain node:https, one request or one watch stream, nothing of Kubernetes in it but
// the way a watch is framed. Independent of the sandbox and of machinery, which both must answer to it.
import * as https from 'node:https';
import { gunzipSync } from 'node:zlib';
import { WatchStream } from './watch-stream.ts';

// biome-ignore lint/suspicious/noExplicitAny: cases read what a server should have sent; a wrong path fails the case.
export type Json = any;

export interface Access {
  readonly url: string;
  readonly ca: string;
  readonly certificate?: string;
  readonly key?: string;
  readonly token?: string;
}

export interface RawRequest {
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As sent, after gzip. */
  readonly bytes: Buffer;
  readonly text: string;
  readonly json: Json;
}

export const PATCH = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

/** Only against hanging: on the real server some events wait for a controller that looks every half minute. */
const PATIENCE_MS = 60_000;

export class RawClient {
  readonly #access: Access;
  readonly #agent = new https.Agent({ keepAlive: true, maxSockets: 64 });

  constructor(access: Access) {
    this.#access = access;
  }

  async request(method: string, path: string, request: RawRequest = {}): Promise<Answer> {
    const response = await this.#open(method, path, request);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    const sent = Buffer.concat(chunks);
    const bytes = response.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
    const text = bytes.toString('utf8');
    const isJson = /^application\/json/.test(response.headers['content-type'] ?? '');
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      bytes,
      text,
      json: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('GET', path, { headers });
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('POST', path, { body, headers });
  }

  put(path: string, body: unknown): Promise<Answer> {
    return this.request('PUT', path, { body });
  }

  patch(path: string, type: keyof typeof PATCH, body: unknown): Promise<Answer> {
    return this.request('PATCH', path, { body, headers: { 'Content-Type': PATCH[type] } });
  }

  delete(path: string, body?: unknown): Promise<Answer> {
    return this.request('DELETE', path, body === undefined ? {} : { body });
  }

  /** What a case stands on; a refusal here is the case's own fault or a wrong server, and ends it. */
  async create(path: string, body: unknown): Promise<Json> {
    const answer = await this.post(path, body);
    if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`);
    return answer.json;
  }

  /** The query must not contain `watch`; the stream must be closed by the case. */
  async watch(path: string, headers: Record<string, string> = {}): Promise<WatchStream> {
    const response = await this.#open('GET', `${path}${path.includes('?') ? '&' : '?'}watch=true`, { headers });
    return new WatchStream(response, PATIENCE_MS);
  }

  close(): void {
    this.#agent.destroy();
  }

  #open(method: string, path: string, { body, headers = {} }: RawRequest): ReturnType<typeof send> {
    const { url, ca, certificate, key, token } = this.#access;
    const payload =
      body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const own: Record<string, string> = { Accept: 'application/json' };
    if (token !== undefined) own['Authorization'] = `Bearer ${token}`;
    if (payload !== undefined) {
      own['Content-Type'] = 'application/json';
      own['Content-Length'] = String(Buffer.byteLength(payload));
    }
    const options = { method, headers: { ...own, ...headers }, ca, cert: certificate, key, agent: this.#agent };
    return send(url + path, options, payload);
  }
}

function send(url: string, options: https.RequestOptions, payload: string | Buffer | undefined) {
  return new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    const outgoing = https.request(url, options);
    outgoing.setTimeout(PATIENCE_MS, () => outgoing.destroy(new Error(`no answer from ${url}`)));
    outgoing.on('error', reject);
    outgoing.on('response', resolve);
    outgoing.end(payload);
  });
}
